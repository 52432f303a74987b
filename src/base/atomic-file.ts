import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crypto } from './crypto.ts';
import { systemCodeOf } from './failure.ts';
import type { Durability } from './sqlite.ts';

/**
 * Writes `text` to a file that only this user can read, unless `mode` and the umask allow more. Writes a temporary file
 * and renames it, so that readers find either the old or the new content, even after a kill. Throws system errors; the
 * old content is then unchanged, unless only the sync of the folder failed.
 */
export function replaceAtomically(path: string, text: string, durability: Durability, mode = 0o600): void {
  const temporary = temporaryOf(path);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode });
    if (durability === 'power') sync(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durability === 'power') sync(dirname(path));
}

/**
 * Creates a file atomically and durably. `make` writes it (possibly a SQLite file) under another name in the same
 * folder; then it gets its name. If the file exists, it is left alone and the system's EEXIST is thrown.
 */
export async function createAtomically(
  path: string,
  make: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = temporaryOf(path);
  try {
    await make(temporary);
    sync(temporary);
    // Unlike a rename, a link never replaces an existing file.
    linkSync(temporary, path);
  } finally {
    for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(temporary + rest, { force: true });
  }
  sync(dirname(path));
}

/**
 * Renames a file or folder atomically and durably: after a loss of power it has one of the two names. Throws system
 * errors; nothing was renamed then, unless only the sync failed.
 */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  sync(dirname(to));
  if (dirname(from) !== dirname(to)) sync(dirname(from));
}

/**
 * Creates a folder and its missing parents, private to this user. Throws system errors. Creates them one by one,
 * because the recursive call of Node.js never returns below /proc.
 */
export function makeFolder(folder: string, durability: Durability): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  const above = dirname(folder);
  // If a file is in place of the parent, the user should see ENOTDIR, not EEXIST.
  if (!existsSync(above)) makeFolder(above, durability);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another run may have just created it.
    if (systemCodeOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
  if (durability === 'power') sync(above);
}

/** True if a file of this name is a leftover of creating `of` in the same folder. */
export function isTemporaryOf(name: string, of: string): boolean {
  return name.startsWith(`${of}.`) && /^[0-9a-f]{12}$/.test(name.slice(of.length + 1));
}

function temporaryOf(path: string): string {
  return `${path}.${crypto().randomBytes(6).toString('hex')}`;
}

/** Waits until the content of a file, or the names in a folder, are on disk. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
