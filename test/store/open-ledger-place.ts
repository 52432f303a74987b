import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { createLedger } from '../../src/store/sqlite/ledger/create-ledger.ts';
import { openSqliteLedger } from '../../src/store/sqlite/ledger/sqlite-ledger.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity, nowMs } from '../settle/entries.ts';

/** Stands still; whoever pauses lets others have their turn. */
export const stillClock: Clock = {
  now: () => nowMs,
  monotonicMs: () => nowMs,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

/** A new ledger in a folder that is gone after the test. */
export async function makeLedger() {
  const folder = temporaryFolder();
  const path = join(folder, 'ledger.db');
  const marksPath = join(folder, 'marks.db');
  await createLedger(path, { ...identity, marksPath, clock: stillClock });
  return { folder, path, marksPath };
}

/** Opens the ledger at `path` until the test ends. */
export async function openUntilEnd(path: string) {
  const ledger = await openSqliteLedger(path, { clock: stillClock });
  onTestFinished(() => ledger.close());
  return ledger;
}
