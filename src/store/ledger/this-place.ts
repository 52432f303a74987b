import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { PlaceUsed } from './ledger-custody.ts';

const machineIdPath = '/etc/machine-id';

/** This machine, and the file at `path` there. */
export function placeOf(path: string): PlaceUsed {
  return { host: thisHost(), inode: inodeOf(path) };
}

/**
 * What stays the same when a file is renamed on its disk, and differs for a copy: its inode, and the time when it was
 * created, since a restored file may be given the inode of the one that was removed.
 */
function inodeOf(path: string): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // Where a file system does not keep that time, it reads as zero or as that of the last change.
  return birthtimeNs > 0n && birthtimeNs !== ctimeNs ? `${ino}.${birthtimeNs}` : String(ino);
}

/** Whether two inodes are of one file, as far as the times are known at which both were made. */
export function isSameInode(one: string, other: string): boolean {
  const [number, madeAt] = one.split('.');
  const [otherNumber, otherMadeAt] = other.split('.');
  return (
    number === otherNumber && (madeAt === undefined || otherMadeAt === undefined || madeAt === otherMadeAt)
  );
}

/** This machine: hashed, since the id of a machine is not to be passed on; null where the system has none. */
export function thisHost(): string | null {
  const id = existsSync(machineIdPath) ? readFileSync(machineIdPath, 'utf8').trim() : '';
  return id === '' ? null : hash('sha256', `host ${id}`, 'base64url').slice(0, 16);
}
