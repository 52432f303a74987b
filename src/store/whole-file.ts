import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a file whole or not at all, and durably: `make` writes it (a SQLite file too) at another path of the same folder, then it gets its
 * name. A file that has the name already is never touched: that throws the system's EEXIST.
 */
export async function makeWhole(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await make(temporary);
    sync(temporary);
    // A link, unlike a new name, never takes the place of a file.
    linkSync(temporary, path);
  } finally {
    for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(temporary + rest, { force: true });
  }
  sync(dirname(path));
}

/** Whether a file of this name is what a killed `makeWhole` left of one named `of` in its folder. */
export function isTemporaryOf(name: string, of: string): boolean {
  return name.startsWith(`${of}.`) && /^[0-9a-f]{12}$/.test(name.slice(of.length + 1));
}

/** Waits until the file, or the names in a folder, are on the disk. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
