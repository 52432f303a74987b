import { existsSync } from 'node:fs';
import type { LedgerAccessOptions } from './ledger-access.ts';
import { isLedgerFailure } from './ledger-file.ts';
import { type LedgerMark, marksAt } from './ledger-marks.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';

export interface KnownPlaces extends LedgerAccessOptions {
  readonly origin: string;
  /** Files that know of ledgers, those of other profiles too. */
  readonly marksPaths: readonly string[];
  /** The ledger that is not meant. */
  readonly except: string;
}

/**
 * Another ledger that is kept with the credential of `account`: by two of them everything is paid twice, each time under a key of its own.
 * Undefined where none is known. One that cannot be opened pays nothing and is passed over.
 */
export async function findLedgerOf(account: string, places: KnownPlaces): Promise<LedgerMark | undefined> {
  const { origin, marksPaths, except } = places;
  for (const marksPath of marksPaths) {
    for (const mark of await marksAt(marksPath, origin)) {
      if (mark.path !== except && existsSync(mark.path) && (await isKeptBy(account, mark.path, places))) {
        return mark;
      }
    }
  }
  return undefined;
}

async function isKeptBy(account: string, path: string, options: LedgerAccessOptions): Promise<boolean> {
  try {
    const ledger = await openSqliteLedger(path, options);
    try {
      return (await ledger.accounts()).includes(account);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (isLedgerFailure(error)) return false;
    throw error;
  }
}
