import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why a disk is not a permanent disk of this machine. */
export interface DiskKind {
  /** `ephemeral`: files are lost with the machine or container. `network`: several machines share the files. */
  readonly kind: 'ephemeral' | 'network';
  /** `on tmpfs, in the memory of this machine`. */
  readonly words: string;
}

const overlay = 0x794c7630;

/** File systems by Linux's magic number. */
const kinds: ReadonlyMap<number, DiskKind> = new Map([
  [0x01021994, ephemeral('tmpfs, in the memory of this machine')],
  [0x858458f6, ephemeral('ramfs, in the memory of this machine')],
  [overlay, ephemeral('the overlay file system of a container')],
  [0x6969, network('NFS')],
  [0xff534d42, network('CIFS')],
  [0x517b, network('SMB')],
  [0xfe534d42, network('SMB')],
  [0x01021997, network('9p')],
  // Only some of its file systems are on other machines, but the number does not show which.
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

/** The magic number of the file system of a folder. */
export type TypeOf = (folder: string) => number;

const systemTypeOf: TypeOf = (folder) => statfsSync(folder).type;

/** The kind of the disk of `path`, which need not exist yet; undefined for a permanent disk of this machine. */
export function diskKind(path: string, typeOf: TypeOf = systemTypeOf): DiskKind | undefined {
  return kinds.get(typeOf(realpathSync(existingFolder(path))));
}

/** The folder at `path`, or its nearest existing parent. */
export function existingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));
}

/** True if this process runs in the file system of a container, which other users of the machine do not see. */
export function isContainer(typeOf: TypeOf = systemTypeOf): boolean {
  return process.platform === 'linux' && typeOf('/') === overlay;
}
