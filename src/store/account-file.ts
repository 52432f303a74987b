import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../base/failure.ts';

/**
 * Whose records a state folder keeps. One service serves many shops, and what one has sent says nothing of another: with
 * its journal the orders of a second shop would be skipped unsent.
 * @throws Failure('config') where the folder belongs to another account, unless the user says it `isSameShop`.
 */
export function checkAccount(
  folder: string,
  account: string,
  { isSameShop, mayWrite }: { readonly isSameShop: boolean; readonly mayWrite: boolean },
): void {
  const path = join(folder, 'account');
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  if (kept === account) return;
  if (kept !== undefined && !isSameShop) {
    throw new Failure(
      'config',
      'what was sent to this service from here was sent with the credential of another account',
      'for another shop (or a sandbox started anew) name a state folder of its own with REVIEWCTL_STATE_DIR, or use a profile of its own; for the same shop with a new credential add --same-shop once',
    );
  }
  if (mayWrite) writeFileSync(path, `${account}\n`, { mode: 0o600 });
}
