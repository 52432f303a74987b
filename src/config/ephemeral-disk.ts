import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { sep } from 'node:path';
import { diskKind, existingFolder, type TypeOf } from '../base/disk-kind.ts';

/**
 * Describes the disk of `path` if it may be gone for the next process: `on tmpfs, in the memory of this machine`,
 * `below /tmp`. Undefined if nothing indicates that. The path need not exist yet.
 */
export function ephemeralDisk(path: string, typeOf?: TypeOf): string | undefined {
  const disk = diskKind(path, typeOf);
  if (disk?.kind === 'ephemeral') return disk.words;
  const folder = realpathSync(existingFolder(path));
  const temporary = ['/tmp', tmpdir()].filter(existsSync).find((root) => isIn(realpathSync(root), folder));
  return temporary === undefined ? undefined : `below ${temporary}`;
}

function isIn(root: string, folder: string): boolean {
  return folder === root || folder.startsWith(root + sep);
}
