import type { Clock } from '../../base/clock.ts';
import type { Sql, Transaction } from '../sql/sql.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import { createLedgerAccess } from './ledger-access.ts';
import { createLedgerChanges } from './ledger-changes.ts';
import { readMeta } from './ledger-meta.ts';
import { createNotes, createPlans } from './ledger-notes.ts';
import { createLedgerReads } from './ledger-reads.ts';
import { type FileCheck, verifyLedger } from './verify-ledger.ts';

/** The part of a ledger that depends on the kind of database. */
export interface LedgerHome {
  /** Converts a database error into a failure for a person; returns other errors unchanged. */
  readonly failureOf: (error: unknown) => unknown;
  /** Left out for a server, which checks its own files. */
  readonly file?: FileCheck;
  /** Runs in the transaction that adds an account. */
  readonly onAccount?: (tx: Transaction, meta: LedgerMeta) => Promise<void>;
}

/**
 * The ledger in an open database, which closes with it. A store of ledgers also checks that it is the right one, and
 * fences its claims.
 * @throws Failure('ledger') if it is damaged.
 */
export async function openLedgerIn(sql: Sql, home: LedgerHome, clock: Clock): Promise<Ledger> {
  const access = createLedgerAccess(sql, home.failureOf);
  const meta = () => readMeta({ query: access.read });
  const { ledgerId, origin, shop, createdAtMs } = await meta();
  const { idle, change } = createLedgerChanges(access, clock);
  return {
    identity: { ledgerId, origin, shop, createdAtMs },
    change,
    meta,
    ...createLedgerReads(access),
    ...createNotes(access, home.onAccount),
    plans: createPlans(access),
    // Opened without a store, it has no mark to prove.
    fence: async () => undefined,
    verify: (onChecked) => verifyLedger(access, home.file, onChecked),
    close: async () => {
      await idle();
      await access.close();
    },
  };
}
