import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettingDefaults, settingDefaultsFile, settingsFile } from './help/all-setting-flags.ts';
import { surfaceFile } from './help/built-surface.ts';
import { allSurfaces } from './help/find-surface.ts';
import { manPage, manPageFile } from './help/man-page.ts';
import { readSettings } from './help/read-surface.ts';

/**
 * Writes each surface, and the names and defaults of settings, to files in `folder` for `readBuilt`. Called by the
 * build.
 */
export async function writeSurfaces(folder: string): Promise<void> {
  const surfaces = await allSurfaces();
  await writeFiles(folder, [
    ...surfaces.map((surface) => [surfaceFile(surface.words), jsonLine(surface)] as const),
    [settingDefaultsFile, jsonLine([...(await readSettingDefaults())])],
    [settingsFile, jsonLine(await readSettings())],
  ]);
}

/** Writes the man page of each surface to `folder`. Called by the build. */
export async function writeManPages(folder: string): Promise<void> {
  const surfaces = await allSurfaces();
  await writeFiles(
    folder,
    surfaces.map((surface) => [manPageFile(surface.words), manPage(surface)]),
  );
}

function jsonLine(data: unknown): string {
  return `${JSON.stringify(data)}\n`;
}

/** Writes the files, and removes all others from the folder. */
async function writeFiles(
  folder: string,
  files: readonly (readonly [name: string, text: string])[],
): Promise<void> {
  const texts = new Map(files);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of texts) await writeFile(join(folder, name), text);
  for (const name of await readdir(folder)) if (!texts.has(name)) await rm(join(folder, name));
}
