import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isPostgresUrl } from '../sql/postgres-address.ts';
import { type HighWaterMarks, type MarkedPlace, markOf } from './high-water-mark.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import { noteBehind } from './ledger-behind.ts';
import type { LastPlace } from './ledger-custody.ts';
import { completeCommand, isLedgerFailure } from './ledger-failure.ts';
import { withFence, withoutClaims } from './ledger-fence.ts';
import { standingOf } from './ledger-standing.ts';
import type { ExpectedLedger, OpenedLedger } from './ledger-store.ts';

/** The place of an open ledger, and the facts outside it by which it is judged. */
export interface LedgerGround extends MarkedPlace {
  readonly place: LastPlace;
  readonly openMarks: () => Promise<HighWaterMarks>;
}

/**
 * Judges an open ledger. Closes it if it is not the expected one.
 * @throws Failure('ledger') if it belongs to another shop, or was kept with another credential.
 */
export async function judgeLedger(
  ledger: Ledger,
  ground: LedgerGround,
  expected: ExpectedLedger,
): Promise<OpenedLedger> {
  try {
    checkSubject(ground.path, await ledger.meta(), expected);
    return await judged(ledger, ground, expected.account);
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/**
 * Returns the ledger to pay from. Closes one that is not in use.
 * @throws Failure('ledger') with the reason why it is not in use.
 */
export async function requireInUse({ ledger, standing }: OpenedLedger): Promise<Ledger> {
  if (standing.kind === 'current') return ledger;
  await ledger.close();
  throw standing.failure;
}

async function judged(
  ledger: Ledger,
  ground: LedgerGround,
  account: string | undefined,
): Promise<OpenedLedger> {
  const { path, place } = ground;
  const marks = await ground.openMarks().catch(asFailure);
  if (marks instanceof Failure)
    return { ledger: withoutClaims(ledger, marks), standing: { kind: 'unmarked', failure: marks } };
  try {
    const standing = await standingOf(ledger, { marks: marks.all(), path, place, account });
    if (standing.kind === 'current') {
      if ((await ledger.meta()).place === null) await ledger.custody.notePlace(place);
      marks.add(await markOf(ledger, ground));
      const fenced = withFence(ledger, { ...ground, marks });
      await fenced.fence();
      return { ledger: fenced, standing };
    }
    const { kind, mark, failure } = standing;
    if (kind === 'older' && mark !== undefined && isPostgresUrl(path)) await noteBehind(ledger, mark);
    marks.close();
    return { ledger: withoutClaims(ledger, failure), standing };
  } catch (error) {
    marks.close();
    throw error;
  }
}

/** Keeps only failures that make the marks unusable. Then nothing is paid, and everything else continues. */
function asFailure(error: unknown): Failure {
  if (isLedgerFailure(error)) return error;
  throw error;
}

function checkSubject(
  path: string,
  { shop: ofShop, origin: atOrigin, otherOrigins, accounts }: LedgerMeta,
  { origin, shop, account, isAnyOrigin = false }: ExpectedLedger,
): void {
  const isItsService = isAnyOrigin || [atOrigin, ...otherOrigins].includes(origin);
  const isOfAccount = account === undefined || accounts.includes(account);
  if (!isItsService || (shop !== undefined && ofShop !== shop)) {
    const place = isPostgresUrl(path) ? '-c state=URL' : '-c ledger=FILE';
    throw new Failure(
      'ledger',
      `the ledger ${path} belongs to the shop '${ofShop}' at ${atOrigin}, not to ` +
        `${shop === undefined ? '' : `'${shop}' at `}${origin}`,
      isItsService || !isOfAccount
        ? `use the profile of that shop, or name the ledger of this one with ${place}`
        : hint`if that is the same service under another name: ${completeCommand(path, origin)}; else use the profile
          of that shop, or name the ledger of this one with ${place}`,
    );
  }
  if (isOfAccount || accounts.length === 0) return;
  throw new Failure(
    'ledger',
    `the ledger ${path} was kept with the credential of another account`,
    hint`for another shop use a profile and a ledger of its own; for a new credential of the same shop:
      ${reviewctl`login --same-shop`}`,
  );
}
