import { join } from 'node:path';
import { Failure, messageOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isThere, readRegularFile } from '../../base/regular-file.ts';
import { writeNote } from './folder-notes.ts';

/**
 * Records whose account a state belongs to. One service serves many shops, and the records sent by one say nothing
 * about another: with its journal, the orders of a second shop would be skipped unsent.
 */
export interface AccountNote {
  /** Undefined if no account is recorded yet. */
  read(): Promise<string | undefined>;
  /**
   * Records the account, once the service has accepted its credential. Survives a loss of power once it resolves.
   * @throws Failure('unwritable-path') if it cannot be written; the state then keeps its account.
   */
  keep(account: string): Promise<void>;
}

/** @throws Failure('config') if the state belongs to another account. */
export async function checkAccount(note: AccountNote, account: string): Promise<void> {
  const kept = await note.read();
  if (kept !== undefined && kept !== account) {
    throw new Failure(
      'config',
      'records were sent to this service from here with the credential of another account',
      hint`for a new credential of the same shop: ${reviewctl`login --same-shop`}; for another shop (or a sandbox
        started anew) use a profile of its own: ${reviewctl`login --profile NAME`}. A new profile has an empty
        journal: used for the same shop, it would send every record again`,
    );
  }
}

/** The account of a state in a folder. */
export function accountFile(folder: string): AccountNote {
  const path = join(folder, 'account');
  return {
    read: async () => readAccount(path),
    keep: async (account) => {
      if (readAccount(path) === account) return;
      writeNote(path, `${account}\n`, 'records the account of this folder');
    },
  };
}

/**
 * Also undefined for an empty file.
 * @throws Failure('config') if it cannot be read.
 */
function readAccount(path: string): string | undefined {
  if (!isThere(path)) return undefined;
  try {
    return readRegularFile(path).trim() || undefined;
  } catch (error) {
    throw new Failure(
      'config',
      `${path}, which records the account of this folder, cannot be read: ${messageOf(error)}`,
      'check that it is a file that you may read, then run the same command again',
      { cause: error },
    );
  }
}
