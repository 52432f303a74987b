import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettingDefaults, settingDefaultsFile, settingsFile } from './help/all-setting-flags.ts';
import { surfaceFile } from './help/built-surface.ts';
import { allSurfaces } from './help/find-surface.ts';
import { manPage, manPageFile } from './help/man-page.ts';
import { readSettings } from './help/read-surface.ts';

/**
 * Writes each surface, and names and defaults of settings, to files in `folder` for `readBuilt`. The build calls it.
 */
export async function writeSurfaces(folder: string): Promise<void> {
  const surfaces = await allSurfaces();
  const kept = new Map<string, unknown>(surfaces.map((surface) => [surfaceFile(surface.words), surface]));
  kept.set(settingDefaultsFile, [...(await readSettingDefaults())]);
  kept.set(settingsFile, await readSettings());
  await mkdir(folder, { recursive: true });
  for (const [name, data] of kept) await writeFile(join(folder, name), `${JSON.stringify(data)}\n`);
  await removeOthers(folder, kept);
}

/** Writes the man page of each surface into `folder`. The build calls it. */
export async function writeManPages(folder: string): Promise<void> {
  const surfaces = await allSurfaces();
  const pages = new Map(surfaces.map((surface) => [manPageFile(surface.words), manPage(surface)]));
  await mkdir(folder, { recursive: true });
  for (const [name, page] of pages) await writeFile(join(folder, name), page);
  await removeOthers(folder, pages);
}

async function removeOthers(folder: string, kept: ReadonlyMap<string, unknown>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!kept.has(name)) await rm(join(folder, name));
  }
}
