import { existsSync } from 'node:fs';
import { Failure } from '../base/failure.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerAccessOptions } from './ledger-access.ts';
import { restoreHint } from './ledger-file.ts';
import { findMark, openMarks, withMark } from './ledger-marks.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';

/** Which ledger is expected, and how the one that is found is judged. */
export interface ExpectedLedger extends LedgerAccessOptions {
  readonly origin: string;
  /** Any shop where it is left out. */
  readonly shop?: string | undefined;
  /** The account of the credential in use; left out where nothing is asked of the service. */
  readonly account?: string | undefined;
  /** The user says that a new account is one of the same shop. */
  readonly isSameShop?: boolean;
  /** The file that knows how far ledgers go, outside of them. */
  readonly marksPath: string;
  /**
   * What a mark that knows of another or a newer ledger means: the ledger is refused (`heed`, the default), is opened for someone who only
   * looks (`ignore`), or counts from now on because a person decided so (`replace`).
   */
  readonly mark?: 'heed' | 'ignore' | 'replace';
}

/**
 * Opens the ledger at `path` once it has proved to be the right one, whole and not older than known; makes none, and changes nothing of
 * one that it refuses. The caller adds the account to it when the service has accepted the credential.
 * @throws Failure('ledger') with the reason and the way on; Failure('locked') while others keep it busy.
 */
export async function openLedger(path: string, expected: ExpectedLedger): Promise<Ledger> {
  if (!existsSync(path)) throw await missing(path, expected);
  const ledger = await openSqliteLedger(path, expected);
  try {
    checkSubject(path, ledger, expected);
    await checkAccount(path, ledger, expected);
    if (expected.mark === 'ignore') return ledger;
    if (expected.mark !== 'replace') await checkMark(path, ledger, expected);
    return await marked(path, ledger, expected);
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function missing(path: string, { marksPath, origin, shop }: ExpectedLedger): Promise<Failure> {
  const mark = await findMark(marksPath, { origin, shop });
  if (mark === undefined) {
    return new Failure(
      'ledger',
      `there is no ledger at ${path}`,
      'make one with `reviewctl ledger init`, or name the one you have with --ledger',
    );
  }
  const where =
    mark.path === path
      ? restoreHint(path)
      : `name it with --ledger ${shellWord(mark.path)}; if it is gone, restore it from a backup`;
  return new Failure(
    'ledger',
    `there is no ledger at ${path}, but there was one for this shop at ${mark.path}, with ${mark.seq} events`,
    `${where}: without it, what was paid could be paid again`,
  );
}

function checkSubject(path: string, { identity }: Ledger, { origin, shop }: ExpectedLedger): void {
  if (identity.origin === origin && (shop === undefined || identity.shop === shop)) return;
  throw new Failure(
    'ledger',
    `the ledger ${path} belongs to the shop '${identity.shop}' at ${identity.origin}, not to ${shop === undefined ? '' : `'${shop}' at `}${origin}`,
    'use the profile of that shop, or name the ledger of this one with --ledger',
  );
}

async function checkAccount(
  path: string,
  ledger: Ledger,
  { account, isSameShop = false }: ExpectedLedger,
): Promise<void> {
  const accounts = await ledger.accounts();
  if (account === undefined || isSameShop || accounts.length === 0 || accounts.includes(account)) return;
  throw new Failure(
    'ledger',
    `the ledger ${path} was kept with the credential of another account`,
    'for another shop use a profile and a ledger of its own; for the same shop with a new credential add --same-shop once',
  );
}

/** What a person does who has nothing newer. */
const decideHint =
  'if nothing newer is left, compare with `reviewctl ledger reconcile --payer-statement FILE`, then let this one count with `reviewctl ledger unfreeze --accept-older`';

async function checkMark(path: string, ledger: Ledger, { marksPath }: ExpectedLedger): Promise<void> {
  const { identity } = ledger;
  const mark = await findMark(marksPath, identity);
  if (mark === undefined) return;
  if (mark.ledgerId !== identity.ledgerId) {
    throw new Failure(
      'ledger',
      `${path} is not the ledger that was in use for this shop; that one was at ${mark.path}, with ${mark.seq} events`,
      `name that one with --ledger, or restore it; ${decideHint}`,
    );
  }
  const seq = await ledger.lastSeq();
  if (seq < mark.seq) {
    throw new Failure(
      'ledger',
      `the ledger ${path} is older than known: it ends with event ${seq}, ${mark.seq} have been written`,
      `${restoreHint(path)}; ${decideHint}`,
    );
  }
}

async function marked(path: string, ledger: Ledger, { marksPath, mark }: ExpectedLedger): Promise<Ledger> {
  const marks = await openMarks(marksPath);
  try {
    const seq = await ledger.lastSeq();
    marks[mark === 'replace' ? 'replace' : 'advance'](ledger.identity, { seq, path });
    return withMark(ledger, path, marks);
  } catch (error) {
    marks.close();
    throw error;
  }
}
