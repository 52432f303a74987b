import { readFileSync } from 'node:fs';
import type { Surface } from './surface.ts';

/** The file in which the build keeps the surface of what `words` name. */
export function surfaceFile(words: string): string {
  return `${words === '' ? 'reviewctl' : words.replaceAll(' ', '.')}.json`;
}

/** The surface of what `words` name, as the build kept it; undefined where they name nothing, or nothing was built. */
export function builtSurface(words: string): Surface | undefined {
  if (!/^(?:[a-z-]+(?: [a-z-]+)?)?$/.test(words)) return undefined;
  try {
    // Right for the bundle, a chunk of which stands beside this folder; next to the source there is none.
    const text = readFileSync(new URL(`../surfaces/${surfaceFile(words)}`, import.meta.url), 'utf8');
    return JSON.parse(text) as Surface;
  } catch {
    return undefined;
  }
}
