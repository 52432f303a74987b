import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';

/**
 * Whose records a state folder keeps. One service serves many shops, and what one has sent says nothing of another:
 * with its journal the orders of a second shop would be skipped unsent.
 * @throws Failure('config') where the folder belongs to another account, unless the user says it `isCredentialChanged`.
 */
export function checkAccount(folder: string, account: string, isCredentialChanged: boolean): void {
  const kept = readAccount(folder);
  if (kept !== undefined && kept !== account && !isCredentialChanged) {
    throw new Failure(
      'config',
      'records were sent to this service from here with the credential of another account',
      hint`for the same shop with a new credential add --credential-changed once; for another shop (or a sandbox
        started anew) use a profile of its own: ${reviewctl`login --profile NAME`}. A new profile has an empty
        journal: used for the same shop, it would send every record again`,
    );
  }
}

/**
 * Writes down whose records the folder keeps: once the service has accepted the credential, or the user says whose it
 * is.
 * @throws Failure('unwritable-path') where it cannot; then the folder keeps what it kept.
 */
export function keepAccount(folder: string, account: string): void {
  if (readAccount(folder) === account) return;
  const path = accountPath(folder);
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
}

/** Undefined also for an empty file: earlier versions left one where they were killed while they wrote it. */
function readAccount(folder: string): string | undefined {
  const path = accountPath(folder);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || undefined : undefined;
}

function accountPath(folder: string): string {
  return join(folder, 'account');
}
