import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isPostgresUrl } from '../sql/postgres-address.ts';
import type { HighWaterMarks } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';
import { noteBehind } from './ledger-behind.ts';
import type { PlaceUsed } from './ledger-custody.ts';
import { completeCommand, isLedgerFailure } from './ledger-failure.ts';
import { withFence, withoutClaims } from './ledger-fence.ts';
import { standingOf } from './ledger-standing.ts';
import type { ExpectedLedger, OpenedLedger } from './ledger-store.ts';
import { markOf } from './mark-of.ts';

/** Where an open ledger is, and what it is judged by besides itself. */
export interface LedgerGround {
  readonly path: string;
  readonly place: PlaceUsed;
  /** The inode that its marks carry; null where the ledger itself knows best where it is used. */
  readonly markInode: string | null;
  readonly openMarks: () => Promise<HighWaterMarks>;
  readonly clock: Clock;
}

/**
 * Judges an open ledger, which is closed where it is not the one that is expected.
 * @throws Failure('ledger') where it belongs to another shop, or was kept with another credential.
 */
export async function judgeLedger(
  ledger: Ledger,
  ground: LedgerGround,
  expected: ExpectedLedger,
): Promise<OpenedLedger> {
  try {
    await checkSubject(ground.path, ledger, expected);
    await checkAccount(ground.path, ledger, expected);
    return await judged(ledger, ground, expected.account);
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/**
 * The ledger to pay from; one that is not in use is closed.
 * @throws Failure('ledger') with why it is not.
 */
export async function requireInUse({ ledger, standing }: OpenedLedger): Promise<Ledger> {
  if (standing.kind === 'current') return ledger;
  await ledger.close();
  throw standing.failure;
}

async function judged(
  ledger: Ledger,
  { path, place, markInode: inode, openMarks, clock }: LedgerGround,
  account: string | undefined,
): Promise<OpenedLedger> {
  const marks = await openMarks().catch(asFailure);
  if (marks instanceof Failure) {
    return { ledger: withoutClaims(ledger, marks), standing: { kind: 'unmarked', failure: marks } };
  }
  try {
    const standing = await standingOf(ledger, { marks: marks.all(), path, place, account });
    if (standing.kind !== 'current') {
      marks.close();
      const { kind, mark, failure } = standing;
      if (kind === 'older' && mark !== undefined && isPostgresUrl(path)) await noteBehind(ledger, mark);
      return { ledger: withoutClaims(ledger, failure), standing };
    }
    if ((await ledger.meta()).place === null) await ledger.custody.notePlace(place);
    marks.add(await markOf(ledger, { path, inode, nowMs: clock.now() }));
    const fenced = withFence(ledger, { path, inode, marks, clock });
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
  { origin, shop, account, isAnyOrigin = false }: ExpectedLedger,
): Promise<void> {
  const known = await ledger.meta();
  const isItsService = isAnyOrigin || [known.origin, ...known.otherOrigins].includes(origin);
  if (isItsService && (shop === undefined || known.shop === shop)) return;
  const place = isPostgresUrl(path) ? '-c state=URL' : '-c ledger=FILE';
  const isOfAccount = account === undefined || known.accounts.includes(account);
  throw new Failure(
    'ledger',
    `the ledger ${path} belongs to the shop '${known.shop}' at ${known.origin}, not to ` +
      `${shop === undefined ? '' : `'${shop}' at `}${origin}`,
    isItsService || !isOfAccount
      ? `use the profile of that shop, or name the ledger of this one with ${place}`
      : hint`if that is the same service under another name: ${completeCommand(path, origin)}; else use the profile
        of that shop, or name the ledger of this one with ${place}`,
  );
}

async function checkAccount(path: string, ledger: Ledger, { account }: ExpectedLedger): Promise<void> {
  const { accounts } = await ledger.meta();
  if (account === undefined || accounts.length === 0 || accounts.includes(account)) return;
  throw new Failure(
    'ledger',
    `the ledger ${path} was kept with the credential of another account`,
    hint`for another shop use a profile and a ledger of its own; for a new credential of the same shop:
      ${reviewctl`login --same-shop`}`,
  );
}
