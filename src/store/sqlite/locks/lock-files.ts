import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const suffix = '.lock';

/** The file of a lock in the folder of its kind. */
export function lockFile(folder: string, name: string): string {
  return join(folder, name + suffix);
}

/** The names of the locks that have a file in `folder`. */
export function lockNamesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}
