import type { Dialect, Snapshot, Sql, SqlReader, Transaction } from '../sql/sql.ts';
import type { LedgerMeta } from './ledger.ts';
import { isLedgerFailure, movedLedger } from './ledger-failure.ts';
import { readMeta } from './ledger-meta.ts';

/**
 * The database of a ledger. Completed writes, and everything read, survive a loss of power. After a failed write or a
 * lost session nothing more runs: the content of the disk, or the identity of the server, is unknown.
 */
export interface LedgerAccess {
  readonly dialect: Dialect;
  readonly read: SqlReader['query'];
  /** Runs `work` in one transaction, which excludes other writers. */
  readonly write: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** Opens a snapshot of the ledger while others write. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly close: () => Promise<void>;
}

/** `failureOf` converts a database error into a failure for a person. */
export function createLedgerAccess(sql: Sql, failureOf: (error: unknown) => unknown): LedgerAccess {
  let failed: unknown;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (failed !== undefined) throw failed;
    try {
      return await work();
    } catch (error) {
      const failure = failureOf(error);
      if (isLedgerFailure(failure)) failed ??= failure;
      throw failure;
    }
  };
  return {
    dialect: sql.dialect,
    read: (text, values) => guarded(() => sql.read(text, values)),
    write: (work) => guarded(() => sql.write((tx) => guarded(() => work(tx)))),
    snapshot: () => guarded(() => sql.snapshot()),
    close: () => sql.close(),
  };
}

/**
 * Reads the meta and excludes all other writers. Must be the first query of a transaction.
 * @throws Failure('ledger') if the ledger is moving: a change made here would be missing there.
 */
export async function lockMeta(tx: SqlReader, { lockRows }: Dialect): Promise<LedgerMeta> {
  const meta = await readMeta(tx, lockRows);
  if (meta.movedTo !== undefined) throw movedLedger(meta.movedTo);
  return meta;
}
