import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, sep } from 'node:path';

/** File systems whose files go with their machine or container, by the number that Linux has for each. */
const ephemeralSystems: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'on tmpfs, in the memory of this machine'],
  [0x858458f6, 'on ramfs, in the memory of this machine'],
  [0x794c7630, 'on the overlay file system of a container'],
]);

/**
 * Where `path`, which need not exist yet, is on a disk that may not be there for the next process: `on tmpfs, in the
 * memory of this machine`, `below /tmp`. Undefined where nothing shows that.
 */
export function ephemeralDisk(
  path: string,
  typeOf = (folder: string) => statfsSync(folder).type,
): string | undefined {
  const folder = realpathSync(existingFolder(path));
  const found = ephemeralSystems.get(typeOf(folder));
  if (found !== undefined) return found;
  const temporary = ['/tmp', tmpdir()].filter(existsSync).find((root) => isIn(realpathSync(root), folder));
  return temporary === undefined ? undefined : `below ${temporary}`;
}

function existingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));
}

function isIn(root: string, folder: string): boolean {
  return folder === root || folder.startsWith(root + sep);
}
