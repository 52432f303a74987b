import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { LastPlace } from './ledger-custody.ts';

const machineIdPath = '/etc/machine-id';

/** This machine and the file at `path`. */
export function placeOf(path: string): LastPlace {
  return { host: thisHost(), inode: inodeOf(path) };
}

/**
 * Identifies a file across renames on its disk, but not a copy of it: its inode and creation time, since a restored
 * file may reuse the inode of a removed one.
 */
function inodeOf(path: string): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // If the file system does not record that time, it reads as zero or as the time of the last change.
  return birthtimeNs > 0n && birthtimeNs !== ctimeNs ? `${ino}.${birthtimeNs}` : String(ino);
}

/** True if two inodes identify the same file. An unknown creation time matches any. */
export function isSameInode(one: string, other: string): boolean {
  const [number, madeAt] = one.split('.');
  const [otherNumber, otherMadeAt] = other.split('.');
  return (
    number === otherNumber && (madeAt === undefined || otherMadeAt === undefined || madeAt === otherMadeAt)
  );
}

/** Identifies this machine by a hash, since machine ids must stay private. Null if the system has none. */
export function thisHost(): string | null {
  const id = existsSync(machineIdPath) ? readFileSync(machineIdPath, 'utf8').trim() : '';
  return id === '' ? null : hash('sha256', `host ${id}`, 'base64url').slice(0, 16);
}
