import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RecognizedFile, recognize } from '../../src/input/mapping/recognize.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { Identified, RecordKind, RecordKindName } from '../../src/input/records/record-kinds.ts';
import { plainOptions, read, surroundings } from './reading.ts';

/** Exports of shop systems in their real form, named by system and content. */
export const exportsFolder = join(import.meta.dirname, '../../fixtures/input/presets');

const fileNames = readdirSync(exportsFolder);

export const exportNames = fileNames.map((name) => name.replace(/\.\w+$/, ''));

/** The file name of an export. */
export function exportFile(name: string): string {
  return fileNames.find((file) => file.startsWith(`${name}.`)) ?? name;
}

export function exportPath(name: string): string {
  return join(exportsFolder, exportFile(name));
}

/** Reads the records of an export, with a base URL for image paths. */
export async function readExport<T extends Identified>(
  name: string,
  kind: RecordKind<T>,
  map: readonly string[] = [],
): Promise<readonly T[]> {
  const files = { [exportFile(name)]: readFileSync(exportPath(name)) };
  const imageBaseUrl = 'https://shop.example/images/';
  const { entries, problems } = await read(kind, files, { map, imageBaseUrl });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return entries.map(({ record }) => record);
}

/** Recognizes an export by its first piece. */
export async function recognizedExport(
  name: string,
  kind: RecordKindName,
): Promise<RecognizedFile | undefined> {
  const { files } = await openInput([exportPath(name)], surroundings());
  const [file] = files;
  return file && recognize(file, plainOptions, kind);
}
