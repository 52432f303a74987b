import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import type { AccountNote } from './account-note.ts';

/** The account of a state in a folder. */
export function accountFile(folder: string): AccountNote {
  const path = join(folder, 'account');
  return {
    read: async () => readAccount(path),
    keep: async (account) => {
      if (readAccount(path) === account) return;
      try {
        replaceAtomically(path, `${account}\n`, 'power');
      } catch (error) {
        throw new Failure(
          'unwritable-path',
          `${path}, which records the account of this folder, cannot be written: ${messageOf(error)}`,
          'see that its disk has room and that you may write to its folder, then run the same command again',
          { cause: error },
        );
      }
    },
  };
}

/**
 * Undefined also for an empty file.
 * @throws Failure('config') where it cannot be read.
 */
function readAccount(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readRegularFile(path).trim() || undefined;
  } catch (error) {
    throw new Failure(
      'config',
      `${path}, which records the account of this folder, cannot be read: ${messageOf(error)}`,
      'see that it is a file that you may read, then run the same command again',
      { cause: error },
    );
  }
}
