import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../base/failure.ts';
import type { Folders } from '../../../config/folders.ts';
import { profileStatePath } from '../../../config/folders.ts';
import { ledgerLocation, type SqliteLedgerLocation } from '../../../store/ledger/ledger-location.ts';
import type { Lock } from '../../../store/locks/locks.ts';
import { openLedgerStore, ownerLocks, stateLocks } from '../../../store/open-store.ts';
import { stateLocation } from '../../../store/state/state-location.ts';

/** The folders of a profile's state, one for each service. */
function serviceFolders(folders: Folders, profile: string): readonly string[] {
  return foldersIn(profileStatePath(folders, profile));
}

function foldersIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

/** The ledgers that are kept in the state of a profile. */
export async function ledgersOf(folders: Folders, profile: string): Promise<readonly SqliteLedgerLocation[]> {
  const found: SqliteLedgerLocation[] = [];
  for (const folder of serviceFolders(folders, profile)) {
    const location = ledgerLocation(folders.state, folder);
    if (await (await openLedgerStore(location)).exists()) found.push(location);
  }
  return found;
}

/**
 * Does `work` on the state of a profile while no run uses it.
 * @throws Failure('locked') where one does; and what `work` throws.
 */
export async function withUnusedState<T>(
  folders: Folders,
  profile: string,
  work: () => Promise<T>,
): Promise<T> {
  const locks: Lock[] = [];
  try {
    for (const folder of serviceFolders(folders, profile)) {
      const ofState = stateLocks(stateLocation(folder));
      for (const name of await ofState.names())
        locks.push(await ofState.acquire(name, `with profile ${profile}`));
    }
    for (const ledger of await ledgersOf(folders, profile)) await checkNoOwner(ledger);
    return await work();
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** @throws Failure('locked') where a process has claims in the ledger: a receiver holds no other lock. */
async function checkNoOwner(ledger: SqliteLedgerLocation): Promise<void> {
  const owners = ownerLocks(ledger);
  for (const owner of await owners.names()) {
    if (!(await owners.isHeld(owner))) continue;
    throw new Failure(
      'locked',
      `the ledger ${ledger.path} is in use by run ${owner}`,
      'wait until it has ended, or stop it if it is rewards listen; then run the same command again',
    );
  }
}
