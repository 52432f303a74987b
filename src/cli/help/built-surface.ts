import { readFileSync } from 'node:fs';
import type { Surface } from './surface.ts';

/** The file in which the build stores the surface of `words`. */
export function surfaceFile(words: string): string {
  return `${words === '' ? 'reviewctl' : words.replaceAll(' ', '.')}.json`;
}

/** The surface of `words` as stored by the build; undefined for unknown words, or without a build. */
export function builtSurface(words: string): Surface | undefined {
  if (!/^(?:[a-z-]+(?: [a-z-]+)?)?$/.test(words)) return undefined;
  return readBuilt(surfaceFile(words)) as Surface | undefined;
}

/** The JSON value that the build stored in this file; undefined without a build. */
export function readBuilt(file: string): unknown {
  try {
    // Valid in the bundle, whose chunks are beside this folder; the source has no such folder.
    return JSON.parse(readFileSync(new URL(`../surfaces/${file}`, import.meta.url), 'utf8'));
  } catch {
    return undefined;
  }
}
