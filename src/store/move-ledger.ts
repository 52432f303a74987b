import { existsSync } from 'node:fs';
import { renameFolder } from '../base/atomic-file.ts';
import type { Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import type { PostgresLedgerLocation, SqliteLedgerLocation } from './ledger/ledger-location.ts';
import { openLedgerStore, ownerLocks, settleLocks } from './open-store.ts';
import type { SqlReader } from './sql/sql.ts';

/** The ledger of a state in a folder, and where it goes. */
export interface LedgerMove {
  readonly from: SqliteLedgerLocation;
  readonly to: PostgresLedgerLocation;
  readonly clock: Clock;
}

/** Why both ledgers are frozen until the new one is the one in use. */
function reasonOf({ from, to }: LedgerMove): string {
  return `it is being moved from ${from.path} to ${to.path}: continue that with state move`;
}

/** Whether there is a ledger to be moved: the one in use for its account. */
export async function hasLedgerToMove({ from, clock }: LedgerMove): Promise<boolean> {
  const store = await openLedgerStore(from);
  if (!(await store.exists())) return false;
  const mark = (await store.marks()).find(({ path }) => path === from.path);
  if (mark === undefined || mark.isRetired) return false;
  const { ledger, standing } = await store.openAny({ origin: mark.origin, isAnyOrigin: true, clock });
  await ledger.close();
  return standing.kind === 'current';
}

/**
 * Does `work` while nobody settles by the ledger, and nobody writes to it: it is frozen, and `work` reads it within a
 * transaction that excludes all others. If that throws, the ledger is as it was before, unless it may have arrived.
 * @throws Failure('locked') while a process settles by it.
 */
export async function holdLedger<T>(
  move: LedgerMove,
  mayHaveArrived: () => boolean,
  work: (ledger: SqlReader) => Promise<T>,
): Promise<T> {
  const { from, clock } = move;
  const lock = await settleLocks(from).acquire(from.lockName, 'rewards settle or rewards export');
  const ledger = await (await openLedgerStore(from)).openUnjudged({ clock });
  try {
    // One that a person has frozen stays so; one that an earlier attempt has left frozen does not.
    if ((await ledger.frozen()) === undefined) await ledger.freeze(reasonOf(move));
    try {
      await checkUnused(move);
      return await readAlone(move, work);
    } catch (error) {
      if (!mayHaveArrived() && (await ledger.frozen()) === reasonOf(move)) await ledger.unfreeze();
      throw error;
    }
  } finally {
    await ledger.close();
    await lock.release();
  }
}

async function readAlone<T>(
  { from, clock }: LedgerMove,
  work: (ledger: SqlReader) => Promise<T>,
): Promise<T> {
  const { openLedgerFile } = await import('./ledger/ledger-file.ts');
  const sql = await openLedgerFile(from.path, clock);
  try {
    return await sql.write(work);
  } finally {
    await sql.close();
  }
}

/** @throws Failure('locked') while a process has claims in the ledger: a receiver holds no other lock. */
async function checkUnused({ from: { path }, from }: LedgerMove): Promise<void> {
  const owners = ownerLocks(from);
  for (const owner of await owners.names()) {
    if (!(await owners.isHeld(owner))) continue;
    throw new Failure(
      'locked',
      `the ledger ${path} is in use by run ${owner}; nothing was moved`,
      'wait until that has ended, or stop it if it is rewards listen; then run the same command again',
    );
  }
}

/** Makes the copy the ledger in use, and says in the old one where it is. May be done again. */
export async function installMovedLedger(move: LedgerMove): Promise<void> {
  const { from, to, clock } = move;
  if (existsSync(from.callRecordsFolder) && !existsSync(to.callRecordsFolder))
    renameFolder(from.callRecordsFolder, to.callRecordsFolder);
  const store = await openLedgerStore(to);
  const ledger = await store.openUnjudged({ clock });
  try {
    await store.move(ledger, { clock });
    if ((await ledger.frozen()) === reasonOf(move)) await ledger.unfreeze();
  } finally {
    await ledger.close();
  }
  const old = await (await openLedgerStore(from)).openUnjudged({ clock });
  try {
    await old.freeze(`it was moved to ${to.path}`);
  } finally {
    await old.close();
  }
}
