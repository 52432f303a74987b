import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** In the bundle, the folder of the program; there is no map of the source. */
const programFolder = fileURLToPath(new URL('.', import.meta.url));
const mapsFile = new URL('../source-maps.json', import.meta.url);

/** How the line of a frame begins. */
const frameStart = /^\s+at (?:async )?/;

/** A place of the program behind its folder: `chunk-ABC.cjs:12:7`. */
const place = /^([\w.-]+\.cjs):(\d+):(\d+)/;

/**
 * `stack` with the lines of the source in place of those of the built program, and without the names of functions,
 * which the build makes short; what cannot be found stays as it is.
 */
export function sourceStack(stack: string): string {
  const maps = readMaps();
  const lines = stack.split('\n').map((frame) => {
    const [start] = frameStart.exec(frame) ?? [];
    const [, built = ''] = frame.split(programFolder);
    const [, name = '', line, column] = place.exec(built) ?? [];
    const source = sourcePlace(maps[name], Number(line) - 1, Number(column) - 1);
    return start === undefined || source === undefined ? frame : start + source;
  });
  return lines.join('\n');
}

function readMaps(): Readonly<Record<string, SourceMapPayload>> {
  try {
    return JSON.parse(readFileSync(mapsFile, 'utf8'));
  } catch {
    return {};
  }
}

/** Packages are not mapped, so that a line of theirs has nothing but the end of what precedes it. */
function sourcePlace(map: SourceMapPayload | undefined, line: number, column: number): string | undefined {
  const entry = map && new SourceMap(map).findEntry(line, column);
  if (entry === undefined || !('originalSource' in entry) || entry.generatedLine !== line) return undefined;
  return `${entry.originalSource}:${entry.originalLine + 1}`;
}
