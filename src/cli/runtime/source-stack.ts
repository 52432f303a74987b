import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The folder of the program in the bundle; source maps are missing outside of it. */
const programFolder = fileURLToPath(new URL('.', import.meta.url));
const mapsFile = new URL('../source-maps.json', import.meta.url);

/** The start of a frame's line. */
const frameStart = /^\s+at (?:async )?/;

/** A position in the built program, relative to its folder: `chunk-ABC.cjs:12:7`. */
const place = /^([\w.-]+\.cjs):(\d+):(\d+)/;

/**
 * `stack` with source lines instead of lines of the built program, and without function names, which the build
 * shortens. Frames that are not mapped stay unchanged.
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

/** Packages are not mapped: a line of theirs would find the entry of the line before it. */
function sourcePlace(map: SourceMapPayload | undefined, line: number, column: number): string | undefined {
  const entry = map && new SourceMap(map).findEntry(line, column);
  if (entry === undefined || !('originalSource' in entry) || entry.generatedLine !== line) return undefined;
  return `${entry.originalSource}:${entry.originalLine + 1}`;
}
