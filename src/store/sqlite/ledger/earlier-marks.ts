import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../base/failure.ts';
import { openDatabase } from '../../../base/sqlite.ts';
import type { HighWaterMark } from '../../ledger/high-water-mark.ts';
import { prepareQuery } from '../query.ts';
import { openLedgerFile } from './ledger-file.ts';

/*
 * Version 0.1.0 kept the marks of each profile and service, by origin and shop, in a file of their own:
 * `PROFILE/SERVICE/ledger-marks.db`.
 */

/** The files of marks that earlier versions left below the state folder. */
export function earlierMarkFiles(stateFolder: string): readonly string[] {
  return below(stateFolder)
    .flatMap(below)
    .map((folder) => join(folder, 'ledger-marks.db'))
    .filter((file) => existsSync(file));
}

/** None of a folder that cannot be read: nothing of this program is in it. */
function below(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** The marks in a file of an earlier version; whose they are is asked of the ledgers that are still there. */
export async function readEarlierMarks(file: string): Promise<readonly HighWaterMark[]> {
  // Opened as it is, never made.
  const database = await openDatabase(file, { durability: 'process', accept: () => undefined });
  try {
    const select = prepareQuery<EarlierMark>(
      database,
      'SELECT origin, shop, ledger_id AS ledgerId, seq, path FROM mark',
    );
    return await Promise.all(
      select.all().map(async (row) => ({
        ...row,
        accounts: await accountsOf(row),
        inode: null,
        seal: null,
        epoch: 0,
        movedAtMs: 0,
        isRetired: false,
      })),
    );
  } finally {
    database.close();
  }
}

type EarlierMark = Pick<HighWaterMark, 'origin' | 'shop' | 'ledgerId' | 'seq' | 'path'>;

/** None where the ledger is gone, replaced or unreadable: then it may belong to any account at its origin. */
async function accountsOf({ path, ledgerId }: EarlierMark): Promise<readonly string[]> {
  if (!existsSync(path)) return [];
  try {
    const database = await openLedgerFile(path);
    try {
      const select = prepareQuery<{ readonly account: string }>(
        database,
        "SELECT account FROM account WHERE EXISTS (SELECT 1 FROM meta WHERE name = 'ledgerId' AND value = ?)",
      );
      return select.all(ledgerId).map(({ account }) => account);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Removes a file whose marks are kept elsewhere now. */
export function removeEarlierMarks(file: string): void {
  for (const part of ['-wal', '-shm', '']) rmSync(file + part, { force: true });
}
