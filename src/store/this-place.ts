import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { PlaceUsed } from './ledger-custody.ts';

const machineIdPath = '/etc/machine-id';

/** This machine, and the file at `path` there: a file keeps its inode under another name of the same disk, a copy has another one. */
export function placeOf(path: string): PlaceUsed {
  return { host: thisHost(), inode: String(statSync(path, { bigint: true }).ino) };
}

/** This machine: hashed, since the id of a machine is not to be passed on; null where the system has none. */
export function thisHost(): string | null {
  const id = existsSync(machineIdPath) ? readFileSync(machineIdPath, 'utf8').trim() : '';
  return id === '' ? null : hash('sha256', `host ${id}`, 'base64url').slice(0, 16);
}
