import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { surfaceFile } from './help/built-surface.ts';
import { allSurfaces } from './help/find-surface.ts';

/** Writes every surface into `folder`, a file each, as `builtSurface` reads them; the build calls it. */
export async function writeSurfaces(folder: string): Promise<void> {
  const files = new Map(
    (await allSurfaces()).map((surface) => [surfaceFile(surface.words), `${JSON.stringify(surface)}\n`]),
  );
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  for (const name of await readdir(folder)) {
    if (!files.has(name)) await rm(join(folder, name));
  }
}
