import type { Dialect, Snapshot, Sql, SqlReader, Transaction } from '../sql/sql.ts';
import type { LedgerMeta } from './ledger.ts';
import { isLedgerFailure, movedLedger } from './ledger-failure.ts';
import { readMeta } from './ledger-meta.ts';

/**
 * The database of a ledger. What a write has written when it resolves, and what a read finds, survives a loss of power.
 * Nothing follows a failed write or a lost session: what is on the disk, or which server answers, is then unknown.
 */
export interface LedgerAccess {
  readonly dialect: Dialect;
  readonly read: SqlReader['query'];
  /** Does `work` in one transaction, in which nobody else writes. */
  readonly write: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** Begins to read one instant of the ledger, while others write. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly close: () => Promise<void>;
}

/** `failureOf` puts an error of the database in words for a person. */
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
 * Reads the meta, and excludes all others that write; the first that is asked in a transaction.
 * @throws Failure('ledger') for a ledger that moves elsewhere: a change made here would be missing there.
 */
export async function lockMeta(tx: SqlReader, { lockRows }: Dialect): Promise<LedgerMeta> {
  const meta = await readMeta(tx, lockRows);
  if (meta.movedTo !== undefined) throw movedLedger(meta.movedTo);
  return meta;
}
