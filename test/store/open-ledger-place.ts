import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { groundAt } from '../../src/store/ledger/create-ledger-store.ts';
import type { LedgerMeta } from '../../src/store/ledger/ledger.ts';
import { openLedgerFile, openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { locationAt } from '../../src/store/ledger/ledger-location.ts';
import { readMeta, writeMeta } from '../../src/store/ledger/ledger-meta.ts';
import type { ExpectedLedger, LedgerStart } from '../../src/store/ledger/ledger-store.ts';
import { sqliteLedgerStore } from '../../src/store/ledger/sqlite-ledger-store.ts';
import { placeOf } from '../../src/store/ledger/this-place.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity, nowMs } from '../settle/entries.ts';

/** A fixed clock; a pause lets other work run. */
export const stillClock: Clock = {
  now: () => nowMs,
  monotonicMs: () => nowMs,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

type Marked<Options> = Options & { readonly marksPath: string };

/** The store of a file, which may be on a disk that a restart erases. */
const storeAt = (path: string, { marksPath, ownFolder }: Marked<{ readonly ownFolder?: string }>) =>
  sqliteLedgerStore({ ...locationAt(path, marksPath), ...(ownFolder === undefined ? {} : { ownFolder }) });

export const createLedger = (path: string, start: Marked<LedgerStart & { readonly ownFolder?: string }>) =>
  storeAt(path, start).create({ ...start, isAnyDisk: true });

export const openLedger = (path: string, expected: Marked<ExpectedLedger>) =>
  storeAt(path, expected).open({ ...expected, isAnyDisk: true });

export const openAnyLedger = (path: string, expected: Marked<ExpectedLedger>) =>
  storeAt(path, expected).openAny(expected);

export const groundOf = (path: string, { marksPath, clock }: Marked<{ readonly clock: Clock }>) =>
  groundAt({ path, marksPath }, placeOf(path), clock);

/** A new ledger in a folder that is removed after the test. */
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

/** Changes the meta of the ledger in a file, bypassing the program. */
export async function changeMeta(path: string, changes: Partial<LedgerMeta>): Promise<void> {
  const sql = await openLedgerFile(path, stillClock);
  await sql.write(async (tx) => writeMeta(tx, { ...(await readMeta(tx)), ...changes }));
  // Empties the log, so that the file may be copied.
  await sql.read('PRAGMA wal_checkpoint(TRUNCATE)');
  await sql.close();
}
