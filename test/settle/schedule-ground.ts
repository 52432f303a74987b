import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { createLedger } from '../store/open-ledger-place.ts';
import { makeEmptyLedger } from './crash-world.ts';
import type { Schedule } from './schedule.ts';
import {
  FileLedgers,
  type LedgerFiles,
  origin,
  type ScheduleDisk,
  type ScheduleLedgers,
} from './schedule-ledgers.ts';

/** Creates a new ledger for each schedule. */
export interface ScheduleGround {
  openLedgers(
    schedule: Schedule,
    options: { readonly isMoved: boolean; readonly disk: ScheduleDisk },
  ): Promise<ScheduleLedgers>;
}

/** Ledger files, each in its own folder. */
export async function openScheduleGround(folder: string): Promise<ScheduleGround> {
  const emptyLedger = await makeEmptyLedger(folder);
  /** Creating a ledger with a mark takes longer than most schedules. */
  const makeFiles = async (isMarked: boolean): Promise<LedgerFiles> => {
    const own = mkdtempSync(join(folder, 'schedule-'));
    const path = join(own, 'ledger.db');
    if (!isMarked) {
      cpSync(emptyLedger, path);
      return { folder: own, path };
    }
    const marksPath = join(own, 'marks.db');
    await createLedger(path, { origin, shop: 'shop', marksPath, clock: systemClock });
    return { folder: own, path, marksPath };
  };
  return {
    openLedgers: async (schedule, { isMoved, disk }) =>
      new FileLedgers(schedule, await makeFiles(isMoved), disk),
  };
}
