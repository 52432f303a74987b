import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { crypto } from './crypto.ts';
import type { Durability } from './sqlite.ts';

/**
 * Writes `text` to a file of this user alone: beside it, then in its place, so that whoever reads, and whatever is
 * killed, meets the old content or the new one, never a part. Throws what the system throws; then the old content is
 * untouched, unless only the wait for the names in the folder failed.
 */
export function replaceAtomically(path: string, text: string, durability: Durability): void {
  const temporary = temporaryOf(path);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    if (durability === 'power') sync(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durability === 'power') sync(dirname(path));
}

/**
 * Makes a file whole or not at all, and durably: `make` writes it (a SQLite file too) at another path of the same
 * folder, then it gets its name. A file that has the name already is never touched: that throws the system's EEXIST.
 */
export async function createAtomically(
  path: string,
  make: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = temporaryOf(path);
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

/** Whether a file of this name is what a killed process left of one named `of` in its folder. */
export function isTemporaryOf(name: string, of: string): boolean {
  return name.startsWith(`${of}.`) && /^[0-9a-f]{12}$/.test(name.slice(of.length + 1));
}

function temporaryOf(path: string): string {
  return `${path}.${crypto().randomBytes(6).toString('hex')}`;
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
