import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { createLedger } from '../../src/store/ledger/create-ledger.ts';
import type { LedgerMeta } from '../../src/store/ledger/ledger.ts';
import { openLedgerFile, openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { readMeta, writeMeta } from '../../src/store/ledger/ledger-meta.ts';
import type { LedgerStart } from '../../src/store/ledger/ledger-store.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity, nowMs } from '../settle/entries.ts';

/** Stands still; whoever pauses lets others have their turn. */
export const stillClock: Clock = {
  now: () => nowMs,
  monotonicMs: () => nowMs,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

/** A new ledger in a folder that is gone after the test. */
export async function makeLedger(further: Partial<LedgerStart> = {}) {
  const folder = temporaryFolder();
  const path = join(folder, 'ledger.db');
  const marksPath = join(folder, 'marks.db');
  await createLedger(path, { ...identity, marksPath, clock: stillClock, ...further });
  return { folder, path, marksPath };
}

/** Opens the ledger at `path` until the test ends. */
export async function openUntilEnd(path: string) {
  const ledger = await openSqliteLedger(path, { clock: stillClock });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Changes what the ledger in a file says of itself, past the program. */
export async function changeMeta(path: string, changes: Partial<LedgerMeta>): Promise<void> {
  const sql = await openLedgerFile(path, stillClock);
  await sql.write(async (tx) => writeMeta(tx, { ...(await readMeta(tx)), ...changes }));
  // Nothing is left in the log, so that the file may be copied.
  await sql.read('PRAGMA wal_checkpoint(TRUNCATE)');
  await sql.close();
}
