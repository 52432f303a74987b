import { constants, type Stats } from 'node:fs';
import { shellWord } from '../base/shell-word.ts';

/** What is wrong with who may open a path, and the command that mends it. */
export interface Exposure {
  readonly why: string;
  readonly remedy: string;
}

/**
 * How a file or folder that decides about credentials is open to others than the user of this process; undefined where
 * it is not. What belongs to root is trusted like what belongs to the user. `userId` is undefined where the system
 * knows no such ids.
 */
export function exposureOf(
  path: string,
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  userId: number | undefined,
): Exposure | undefined {
  if (userId === undefined) return undefined;
  const word = shellWord(path);
  if (uid !== userId && uid !== 0) {
    return { why: 'belongs to another user', remedy: `sudo chown "$(id -un)" ${word}` };
  }
  if ((mode & 0o077) === 0) return undefined;
  const isFolder = (mode & constants.S_IFMT) === constants.S_IFDIR;
  return { why: 'is open to other users of this machine', remedy: `chmod ${isFolder ? 700 : 600} ${word}` };
}
