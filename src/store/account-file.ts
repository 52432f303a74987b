import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../base/failure.ts';

/**
 * Whose records a state folder keeps. One service serves many shops, and what one has sent says nothing of another: with
 * its journal the orders of a second shop would be skipped unsent.
 * @throws Failure('config') where the folder belongs to another account, unless the user says it `isSameShop`.
 */
export function checkAccount(folder: string, account: string, isSameShop: boolean): void {
  const kept = readAccount(folder);
  if (kept !== undefined && kept !== account && !isSameShop) {
    throw new Failure(
      'config',
      'what was sent to this service from here was sent with the credential of another account',
      'for another shop (or a sandbox started anew) name a state folder of its own with REVIEWCTL_STATE_DIR, or use a profile of its own; for the same shop with a new credential add --same-shop once',
    );
  }
}

/** Writes down whose records the folder keeps: once the service has accepted the credential, or the user says whose it is. */
export function keepAccount(folder: string, account: string): void {
  if (readAccount(folder) !== account) writeFileSync(accountPath(folder), `${account}\n`, { mode: 0o600 });
}

function readAccount(folder: string): string | undefined {
  const path = accountPath(folder);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function accountPath(folder: string): string {
  return join(folder, 'account');
}
