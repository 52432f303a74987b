import { existsSync } from 'node:fs';
import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { isPostgresUrl, placeText } from '../sql/postgres-address.ts';
import { areOfOneAccount, type HighWaterMark } from './high-water-mark.ts';
import { readHighWaterMarks } from './high-water-marks.ts';
import { completeCommand, restoreHint } from './ledger-failure.ts';

/** The identity of an expected ledger, besides its file. */
interface Subject {
  readonly origin: string;
  /** Left out if the service is not called. */
  readonly account?: string | undefined;
  /** The file with the high-water marks. */
  readonly marksPath: string;
}

/** The failure for a ledger missing at `path`, using the marks of its account, or else of its service. */
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

/** As `missingLedger`; undefined if no mark names a ledger. */
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
function markWords({ shop, origin, path, seq }: HighWaterMark): string {
  return `the shop '${shop}' of ${origin} at ${path}, with ${seq} events`;
}

/**
 * True if the ledger of a mark is gone. The one at `path` is known to be missing; of another database, only a person
 * knows.
 */
function isLost(mark: HighWaterMark, path: string): boolean {
  return mark.path === path || (!isPostgresUrl(mark.path) && !existsSync(mark.path));
}

function wayBack(path: string, origin: string, mark: HighWaterMark): HintText {
  if (isLost(mark, path)) {
    return mark.path === path
      ? restoreHint(path)
      : `restore it from a backup, there or at any other place, and name it with the setting ledger`;
  }
  if (isPostgresUrl(path) && !isPostgresUrl(mark.path))
    return hint`it has not been moved to the database yet: ${reviewctl`state move`}`;
  const named = `name it with ${placeText(mark.path)}`;
  return mark.origin === origin
    ? named
    : hint`${named}; if ${origin} is its service under another name, add that address first:
      ${completeCommand(mark.path, origin)}`;
}

/** As `LedgerStore.checkNoneInUse`, for a ledger about to be created at `path`. */
export async function checkNoneInUse(
  path: string,
  marksPath: string,
  subject: Pick<HighWaterMark, 'origin' | 'accounts'>,
): Promise<void> {
  const marks = await readHighWaterMarks(marksPath);
  const mark = marks.find((known) => !known.isRetired && areOfOneAccount(known, subject));
  if (mark !== undefined) throw inUse(path, subject, mark);
}

function inUse(path: string, { origin }: Pick<HighWaterMark, 'origin'>, mark: HighWaterMark): Failure {
  const isGone = isLost(mark, path);
  const named = `use that one with ${placeText(mark.path)}`;
  const way = isGone
    ? 'restore it from a backup'
    : mark.origin === origin
      ? named
      : hint`${named}, after ${completeCommand(mark.path, origin)}`;
  const replace = isGone
    ? ' If it is lost for good, add --replace-lost, and list the rewards that it paid with --already-paid FILE.'
    : '';
  return new Failure(
    'ledger',
    `this account ${isGone ? 'had' : 'has'} a ledger for ${markWords(mark)}; no ledger was created`,
    hint`${way}; a new one would pay again every reward that only the old one records as paid.${replace} For a
      trial service, set REVIEWCTL_STATE_DIR to a separate folder, which has no record of what was sent or paid
      here`,
  );
}
