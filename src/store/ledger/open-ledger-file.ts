import { isThere } from '../../base/regular-file.ts';
import { openHighWaterMarks } from './high-water-marks.ts';
import { judgeLedger, type LedgerGround, requireInUse } from './judge-ledger.ts';
import type { Ledger } from './ledger.ts';
import { openSqliteLedger } from './ledger-file.ts';
import { checkLinks } from './ledger-links.ts';
import type { ExpectedLedger, OpenedLedger } from './ledger-store.ts';
import { missingLedger } from './missing-ledger.ts';
import { placeOf } from './this-place.ts';

/** What is expected of the file of a ledger. */
export interface ExpectedLedgerFile extends ExpectedLedger {
  /** The file that knows how far ledgers go, outside of them. */
  readonly marksPath: string;
}

/** As `LedgerStore.open`. */
export async function openLedger(path: string, expected: ExpectedLedgerFile): Promise<Ledger> {
  return requireInUse(await openAnyLedger(path, expected));
}

/** As `LedgerStore.openAny`. */
export async function openAnyLedger(path: string, expected: ExpectedLedgerFile): Promise<OpenedLedger> {
  if (!isThere(path)) throw await missingLedger(path, expected);
  checkLinks(path);
  const ledger = await openSqliteLedger(path, expected);
  return judgeLedger(ledger, groundOf(path, expected), expected);
}

/** The ground of the ledger in the file at `path`, which is there. */
export function groundOf(
  path: string,
  { marksPath, clock }: Pick<ExpectedLedgerFile, 'marksPath' | 'clock'>,
): LedgerGround {
  const place = placeOf(path);
  return { path, place, markInode: place.inode, openMarks: () => openHighWaterMarks(marksPath), clock };
}
