import type { Clock } from '../../base/clock.ts';
import type { Sql, Transaction } from '../sql/sql.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import { createLedgerAccess } from './ledger-access.ts';
import { createLedgerChanges } from './ledger-changes.ts';
import { readMeta } from './ledger-meta.ts';
import { createNotes, createPlans } from './ledger-notes.ts';
import { createLedgerReads } from './ledger-reads.ts';
import { type FileCheck, verifyLedger } from './verify-ledger.ts';

/** What only the kind of its database knows of a ledger. */
export interface LedgerHome {
  /** Puts an error of the database in words for a person; other errors are returned as they are. */
  readonly failureOf: (error: unknown) => unknown;
  /** Left out where a server checks its own files. */
  readonly file?: FileCheck;
  readonly bytes: (read: Sql['read']) => Promise<number>;
  /** Follows a new account, in the transaction that notes it. */
  readonly onAccount?: (tx: Transaction, meta: LedgerMeta) => Promise<void>;
}

/**
 * The ledger in an open database, which is closed with it; a store of ledgers also checks that it is the right one, and
 * fences its claims.
 * @throws Failure('ledger') where it is damaged.
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
    // Opened alone, it has no mark outside to prove it.
    fence: async () => undefined,
    verify: (onChecked) => verifyLedger(access, home.file, onChecked),
    bytes: () => home.bytes(access.read),
    close: async () => {
      await idle();
      await access.close();
    },
  };
}
