import { readFileSync } from 'node:fs';
import type { Surface } from './surface.ts';

/** The file in which the build keeps the surface of what `words` name. */
export function surfaceFile(words: string): string {
  return `${words === '' ? 'reviewctl' : words.replaceAll(' ', '.')}.json`;
}

/** The surface of what `words` name, as the build kept it; undefined where they name nothing, or nothing was built. */
export function builtSurface(words: string): Surface | undefined {
  if (!/^(?:[a-z-]+(?: [a-z-]+)?)?$/.test(words)) return undefined;
  return readBuilt(surfaceFile(words)) as Surface | undefined;
}

/** What the build kept in this file, as data; undefined where nothing was built. */
export function readBuilt(file: string): unknown {
  try {
    // Valid in the bundle, whose chunks are beside this folder; there is no such folder beside the source.
    return JSON.parse(readFileSync(new URL(`../surfaces/${file}`, import.meta.url), 'utf8'));
  } catch {
    return undefined;
  }
}
