import { existsSync } from 'node:fs';
import { renameDurably } from '../base/atomic-file.ts';
import type { Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import { hint } from '../base/hint.ts';
import type { PostgresLedgerLocation, SqliteLedgerLocation } from './ledger/ledger-location.ts';
import { readMeta, writeMeta } from './ledger/ledger-meta.ts';
import { openLedgerStore, ownerLocks, settleLocks } from './open-store.ts';
import type { Sql, SqlReader } from './sql/sql.ts';

/** The ledger of a state in a folder, and its target. */
export interface LedgerMove {
  readonly from: SqliteLedgerLocation;
  readonly to: PostgresLedgerLocation;
  readonly clock: Clock;
}

/**
 * The shop of the ledger to be moved; undefined if no ledger was ever in use there.
 * @throws Failure('ledger') for one that is not in use, such as a copy: it would be left behind.
 */
export async function shopOfLedger({ from, clock }: LedgerMove): Promise<string | undefined> {
  const store = await openLedgerStore(from);
  if (!(await store.exists())) return undefined;
  const mark = (await store.marks()).find(({ path }) => path === from.path);
  if (mark === undefined || mark.isRetired) return undefined;
  const { ledger, standing } = await store.openAny({ origin: mark.origin, isAnyOrigin: true, clock });
  await ledger.close();
  // A killed move is started again.
  if (standing.kind === 'current' || standing.kind === 'moving') return mark.shop;
  const { message, nextStep = '' } = standing.failure;
  const remedy = hint`leave the setting state out until it is in use: ${nextStep}; then move it`;
  throw new Failure('ledger', `${message}; nothing was moved`, remedy);
}

/**
 * Runs `work`, which reads a snapshot of the ledger. From then on nobody can record anything in it. If `work` throws,
 * this is undone, unless the ledger may have arrived.
 * @throws Failure('locked') while a process settles with it.
 */
export async function withdrawLedger<T>(
  move: LedgerMove,
  mayHaveArrived: () => boolean,
  work: (ledger: SqlReader) => Promise<T>,
): Promise<T> {
  const { from, to, clock } = move;
  const { openLedgerFile } = await import('./ledger/ledger-file.ts');
  const lock = await settleLocks(from).acquire(from.lockName, 'rewards settle or rewards export');
  const sql = await openLedgerFile(from.path, clock);
  try {
    await checkUnused(move);
    await noteMove(sql, to.path);
    try {
      // A process that started meanwhile may have claimed something before.
      await checkUnused(move);
      return await readAtOnce(sql, work);
    } catch (error) {
      if (!mayHaveArrived()) await noteMove(sql, undefined);
      throw error;
    }
  } finally {
    await sql.close();
    await lock.release();
  }
}

/** Records in the ledger where it is moving. Overwrites the note of a killed attempt. */
function noteMove(sql: Sql, movedTo: string | undefined): Promise<void> {
  return sql.write(async (tx) => writeMeta(tx, { ...(await readMeta(tx)), movedTo }));
}

async function readAtOnce<T>(sql: Sql, work: (ledger: SqlReader) => Promise<T>): Promise<T> {
  const snapshot = await sql.snapshot();
  try {
    return await work(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** @throws Failure('locked') while a process has claims in the ledger: a receiver holds no other lock. */
async function checkUnused({ from }: LedgerMove): Promise<void> {
  const owners = ownerLocks(from);
  for (const owner of await owners.names()) {
    if (!(await owners.isHeld(owner))) continue;
    throw new Failure(
      'locked',
      `the ledger ${from.path} is in use by run ${owner}; nothing was moved`,
      'wait until that has ended, or stop it if it is rewards listen; then run the same command again',
    );
  }
}

/** Makes the copy the ledger in use on this machine. Can be repeated. */
export async function installMovedLedger({ from, to, clock }: LedgerMove): Promise<void> {
  if (existsSync(from.callRecordsFolder) && !existsSync(to.callRecordsFolder))
    renameDurably(from.callRecordsFolder, to.callRecordsFolder);
  const store = await openLedgerStore(to);
  const ledger = await store.openUnjudged({ clock });
  try {
    await store.move(ledger, { clock });
  } finally {
    await ledger.close();
  }
}
