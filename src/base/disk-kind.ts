import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a disk does to the files on it, where it is not one of this machine that stays. */
export interface DiskKind {
  /** Files go with their machine or container, or are of several machines at once. */
  readonly kind: 'ephemeral' | 'network';
  /** `on tmpfs, in the memory of this machine`. */
  readonly words: string;
}

const overlay = 0x794c7630;

/** File systems by the number that Linux has for each. */
const kinds: ReadonlyMap<number, DiskKind> = new Map([
  [0x01021994, ephemeral('tmpfs, in the memory of this machine')],
  [0x858458f6, ephemeral('ramfs, in the memory of this machine')],
  [overlay, ephemeral('the overlay file system of a container')],
  [0x6969, network('NFS')],
  [0xff534d42, network('CIFS')],
  [0x517b, network('SMB')],
  [0xfe534d42, network('SMB')],
  [0x01021997, network('9p')],
  // Of its file systems only some are on other machines, which the number does not show.
  [0x65735546, network('FUSE')],
  [0x00c36400, network('Ceph')],
  [0x0bd00bd0, network('Lustre')],
  [0x47504653, network('GPFS')],
  [0x5346414f, network('AFS')],
]);

function ephemeral(system: string): DiskKind {
  return { kind: 'ephemeral', words: `on ${system}` };
}

function network(system: string): DiskKind {
  return { kind: 'network', words: `on ${system}` };
}

/** The number of the file system that a folder is on. */
export type TypeOf = (folder: string) => number;

const systemTypeOf: TypeOf = (folder) => statfsSync(folder).type;

/** The disk of `path`, which need not exist yet; undefined for one of this machine that stays, as far as is known. */
export function diskKind(path: string, typeOf: TypeOf = systemTypeOf): DiskKind | undefined {
  return kinds.get(typeOf(realpathSync(existingFolder(path))));
}

/** The folder at `path`, or the one above it that exists. */
export function existingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));
}

/** Whether this process sees the file system of a container, which no user of the machine outside it sees. */
export function isContainer(typeOf: TypeOf = systemTypeOf): boolean {
  return process.platform === 'linux' && typeOf('/') === overlay;
}
