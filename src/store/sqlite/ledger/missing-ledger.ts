import { existsSync } from 'node:fs';
import { Failure } from '../../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import { areOfOneAccount, type HighWaterMark } from '../../ledger/high-water-mark.ts';
import { completeCommand, restoreHint } from '../../ledger/ledger-failure.ts';
import { isPostgresUrl, placeText } from '../../sql/postgres-address.ts';
import { readHighWaterMarks } from './high-water-marks.ts';

/** What a ledger that is asked for is known by, besides its file. */
interface Subject {
  readonly origin: string;
  /** Left out where nothing is asked of the service. */
  readonly account?: string | undefined;
  /** The file that knows how far ledgers go, outside of them. */
  readonly marksPath: string;
}

/**
 * The failure for a ledger that is missing at `path`, by what is known of ledgers of the account, else of the service.
 */
export async function missingLedger(path: string, subject: Subject): Promise<Failure> {
  return (
    (await missedLedger(path, subject)) ??
    new Failure(
      'ledger',
      `there is no ledger at ${path}`,
      hint`create one with \`${reviewctl`ledger init`}\`, or name the one you have with the setting ledger`,
    )
  );
}

/** As `missingLedger`; undefined if no mark knows of a ledger. */
export async function missedLedger(
  path: string,
  { marksPath, origin, account }: Subject,
): Promise<Failure | undefined> {
  const accounts = account === undefined ? [] : [account];
  const mark = (await readHighWaterMarks(marksPath)).find(
    (known) => !known.isRetired && areOfOneAccount(known, { accounts, origin }),
  );
  if (mark === undefined) return undefined;
  return new Failure(
    'ledger',
    `there is no ledger at ${path}, but there ${isLost(mark, path) ? 'was' : 'is'} one for ${markWords(mark)}`,
    hint`${wayBack(path, origin, mark)}; without it, rewards could be paid twice`,
  );
}

/** `the shop 'mall' at https://… at /path/ledger.db, with 12 events`. */
export function markWords({ shop, origin, path, seq }: HighWaterMark): string {
  return `the shop '${shop}' of ${origin} at ${path}, with ${seq} events`;
}

/** Whether the ledger of a mark is gone, as the one at `path` is. Only a person knows it of another database. */
export function isLost(mark: HighWaterMark, path: string): boolean {
  return mark.path === path || (!isPostgresUrl(mark.path) && !existsSync(mark.path));
}

function wayBack(path: string, origin: string, mark: HighWaterMark): HintText {
  if (isLost(mark, path)) {
    return mark.path === path
      ? restoreHint(path)
      : `restore it from a backup, there or at any other place, and name it with the setting ledger`;
  }
  const named = `name it with ${placeText(mark.path)}`;
  return mark.origin === origin
    ? named
    : hint`${named}; if ${origin} is its service under another name, add that address first:
      ${completeCommand(mark.path, origin)}`;
}
