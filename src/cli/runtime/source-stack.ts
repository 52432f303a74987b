import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** In the bundle, the folder of the program; there is no map of the source. */
const programFolder = fileURLToPath(new URL('.', import.meta.url));
const mapsFile = new URL('../source-maps.json', import.meta.url);

/** A place of the program behind its folder: `chunk-ABC.cjs:12:7`. */
const place = /^([\w.-]+\.cjs):(\d+):(\d+)/;

/** `stack` with the lines of the source in place of those of the built program; what cannot be found stays as it is. */
export function sourceStack(stack: string): string {
  const maps = readMaps();
  const [head = '', ...pieces] = stack.split(programFolder);
  return pieces.reduce((text, piece) => {
    const [built = '', name = '', line, column] = place.exec(piece) ?? [];
    const source = sourcePlace(maps[name], Number(line) - 1, Number(column) - 1);
    return text + (source === undefined ? programFolder + piece : source + piece.slice(built.length));
  }, head);
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
