import { existsSync } from 'node:fs';
import { Failure } from '../../../base/failure.ts';
import { hint } from '../../../base/hint.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isLedgerFailure, moveCommand } from '../../ledger/ledger-failure.ts';
import { withFence, withoutClaims } from '../../ledger/ledger-fence.ts';
import { standingFailure, standingOf } from '../../ledger/ledger-standing.ts';
import type { ExpectedLedger, OpenedLedger } from '../../ledger/ledger-store.ts';
import { markOf } from '../../ledger/mark-of.ts';
import { placeOf } from '../../ledger/this-place.ts';
import { openHighWaterMarks } from './high-water-marks.ts';
import type { LedgerAccessOptions } from './ledger-access.ts';
import { checkLinks } from './ledger-links.ts';
import { missingLedger } from './missing-ledger.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';

/** What is expected of the file of a ledger. */
export interface ExpectedLedgerFile extends ExpectedLedger, LedgerAccessOptions {
  /** The file that knows how far ledgers go, outside of them. */
  readonly marksPath: string;
}

/** As `LedgerStore.open`. */
export async function openLedger(path: string, expected: ExpectedLedgerFile): Promise<Ledger> {
  const { ledger, standing } = await openAnyLedger(path, expected);
  if (standing.kind === 'current') return ledger;
  await ledger.close();
  throw standingFailure(path, standing);
}

/** As `LedgerStore.openAny`. */
export async function openAnyLedger(path: string, expected: ExpectedLedgerFile): Promise<OpenedLedger> {
  if (!existsSync(path)) throw await missingLedger(path, expected);
  checkLinks(path);
  const ledger = await openSqliteLedger(path, expected);
  try {
    await checkSubject(path, ledger, expected);
    await checkAccount(path, ledger, expected);
    return await judged(path, ledger, expected);
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function judged(
  path: string,
  ledger: Ledger,
  { marksPath, account, clock }: ExpectedLedgerFile,
): Promise<OpenedLedger> {
  const place = placeOf(path);
  const marks = await openHighWaterMarks(marksPath).catch(asFailure);
  if (marks instanceof Failure) {
    const standing = { kind: 'unmarked', failure: marks } as const;
    return { ledger: withoutClaims(ledger, path, standing), standing };
  }
  try {
    const standing = await standingOf(ledger, { marks: marks.all(), place, account });
    if (standing.kind !== 'current') {
      marks.close();
      return { ledger: withoutClaims(ledger, path, standing), standing };
    }
    if ((await ledger.custody.placeUsed()) === undefined) await ledger.custody.notePlace(place);
    marks.add(await markOf(ledger, { path, inode: place.inode, nowMs: clock.now() }));
    const fenced = withFence(ledger, { path, place, marks, clock });
    await fenced.fence();
    return { ledger: fenced, standing };
  } catch (error) {
    marks.close();
    throw error;
  }
}

/** Only what makes the marks unusable: then nothing is paid, and all else continues. */
function asFailure(error: unknown): Failure {
  if (isLedgerFailure(error)) return error;
  throw error;
}

async function checkSubject(
  path: string,
  ledger: Ledger,
  { origin, shop, account, isAnyOrigin = false }: ExpectedLedgerFile,
): Promise<void> {
  const { identity, custody } = ledger;
  const isItsService =
    isAnyOrigin || identity.origin === origin || (await custody.otherOrigins()).includes(origin);
  if (isItsService && (shop === undefined || identity.shop === shop)) return;
  const isOfAccount = account === undefined || (await ledger.accounts()).includes(account);
  throw new Failure(
    'ledger',
    `the ledger ${path} belongs to the shop '${identity.shop}' at ${identity.origin}, not to ` +
      `${shop === undefined ? '' : `'${shop}' at `}${origin}`,
    isItsService || !isOfAccount
      ? 'use the profile of that shop, or name the ledger of this one with --ledger'
      : hint`if that is the same service under another name: ${moveCommand(path, origin)}; else use the profile
        of that shop, or name the ledger of this one with --ledger`,
  );
}

async function checkAccount(
  path: string,
  ledger: Ledger,
  { account, isCredentialChanged = false }: ExpectedLedgerFile,
): Promise<void> {
  const accounts = await ledger.accounts();
  if (account === undefined || isCredentialChanged || accounts.length === 0 || accounts.includes(account))
    return;
  throw new Failure(
    'ledger',
    `the ledger ${path} was kept with the credential of another account`,
    'for another shop use a profile and a ledger of its own; for the same shop with a new credential add ' +
      '--credential-changed once',
  );
}
