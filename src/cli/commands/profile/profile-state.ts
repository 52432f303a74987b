import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../base/failure.ts';
import type { Folders } from '../../../config/folders.ts';
import { profileStatePath } from '../../../config/folders.ts';
import { type LedgerLocation, ledgerLocation } from '../../../store/ledger/ledger-location.ts';
import type { Lock } from '../../../store/locks/locks.ts';
import { ownerLocks, stateLocation, stateLocks } from '../../../store/open-store.ts';

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
export function ledgersOf(folders: Folders, profile: string): readonly LedgerLocation[] {
  return serviceFolders(folders, profile)
    .map((folder) => ledgerLocation(folders.state, folder))
    .filter(({ path }) => existsSync(path));
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
      for (const name of lockNames(folder))
        locks.push(await stateLocks(stateLocation(folder)).acquire(name, `with profile ${profile}`));
    }
    for (const ledger of ledgersOf(folders, profile)) await checkNoOwner(ledger);
    return await work();
  } finally {
    for (const lock of locks) await lock.release();
  }
}

const suffix = '.lock';

function lockNames(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}

/** @throws Failure('locked') where a process has claims in the ledger: a receiver holds no other lock. */
async function checkNoOwner(ledger: LedgerLocation): Promise<void> {
  for (const owner of lockNames(`${ledger.path}.owners`)) {
    if (!(await ownerLocks(ledger).isHeld(decodeURIComponent(owner)))) continue;
    throw new Failure(
      'locked',
      `the ledger ${ledger.path} is in use by run ${owner}`,
      'wait until it has ended, or stop it if it is rewards listen; then run the same command again',
    );
  }
}
