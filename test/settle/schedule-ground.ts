import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { createLedger } from '../../src/store/sqlite/ledger/create-ledger.ts';
import { makeEmptyLedger } from './crash-world.ts';
import { type LedgerFiles, origin } from './schedule-ledgers.ts';

/** Makes ledgers for schedules, which each have a folder of their own. */
export interface ScheduleGround {
  /** An empty ledger; to make one with a mark outside of it takes longer than most schedules. */
  newLedger(options: { readonly isMarked: boolean }): Promise<LedgerFiles>;
}

export async function openScheduleGround(folder: string): Promise<ScheduleGround> {
  const emptyLedger = await makeEmptyLedger(folder);
  return {
    newLedger: async ({ isMarked }) => {
      const own = mkdtempSync(join(folder, 'schedule-'));
      const path = join(own, 'ledger.db');
      if (!isMarked) {
        cpSync(emptyLedger, path);
        return { folder: own, path };
      }
      const marksPath = join(own, 'marks.db');
      await createLedger(path, { origin, shop: 'shop', marksPath, clock: systemClock });
      return { folder: own, path, marksPath };
    },
  };
}
