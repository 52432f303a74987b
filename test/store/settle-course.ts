import { Failure } from '../../src/base/failure.ts';
import { seededRandom } from '../../src/base/random.ts';
import { answered, recover } from '../../src/settle/rules/transitions.ts';
import type { Cap, Ledger } from '../../src/store/ledger/ledger.ts';
import type { PostgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { anyServer, openPostgresLedger } from '../../src/store/ledger/ledger-server.ts';
import type { Locks } from '../../src/store/locks/locks.ts';
import { ownerLocks } from '../../src/store/open-store.ts';
import { plainPayer } from '../settle/entries.ts';
import { by, claimIn, seeIn } from './ledger-steps.ts';
import { stillClock } from './open-ledger-place.ts';

/**
 * The rewards that one process settles, and its payer. The payer is not idempotent: a second call is a second payment.
 */
export interface Course {
  readonly owner: string;
  readonly owners: Pick<Locks, 'isHeld'>;
  readonly rewardIds: readonly string[];
  readonly caps: readonly Cap[];
  readonly pay: (rewardId: string) => void;
}

/** Settles like one process; returns the Failure of its ledger, if any. */
export async function settleOnce(
  location: PostgresLedgerLocation,
  course: Omit<Course, 'owners'>,
): Promise<Failure | undefined> {
  const owners = ownerLocks(location);
  try {
    const lock = await owners.acquire(course.owner, 'rewards settle');
    try {
      const ledger = await openPostgresLedger(location, { clock: stillClock, acceptSession: anyServer });
      try {
        await settleCourse(ledger, { ...course, owners });
      } finally {
        await ledger.close();
      }
    } finally {
      await lock.release();
    }
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Settles like the program: recover, claim, check again, call, record. Throws if the ledger fails. */
export async function settleCourse(ledger: Ledger, course: Course): Promise<void> {
  for (const rewardId of inSomeOrder(course)) await settleOne(ledger, rewardId, course);
}

async function settleOne(
  ledger: Ledger,
  rewardId: string,
  { owner, owners, caps, pay }: Course,
): Promise<void> {
  await seeIn(ledger, rewardId);
  const found = await ledger.find(rewardId);
  if (found?.payment === 'paying') {
    const isOwnerAlive = await owners.isHeld(found.call?.owner ?? '');
    const known = { isOwnerAlive, capabilities: plainPayer };
    await ledger.change(rewardId, recover(found.attempt, { kind: 'none' }, known), { by });
  }
  const claimed = await claimIn(ledger, rewardId, { caps, owner });
  if (claimed.kind === 'kept') return;
  const { attempt } = claimed.entry;
  const looked = await ledger.find(rewardId);
  if (looked?.call?.owner !== owner || looked.attempt !== attempt) return;
  pay(rewardId);
  await ledger.change(rewardId, answered(attempt, { kind: 'paid', ref: 'T' }, plainPayer), { by });
}

/** Each owner visits the rewards in its own order, so that owners meet at all of them. */
function inSomeOrder({ owner, rewardIds }: Course): readonly string[] {
  const random = seededRandom(Buffer.from(owner).reduce((sum, byte) => (sum * 31 + byte) % 2 ** 31, 7));
  return rewardIds
    .map((rewardId) => ({ rewardId, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ rewardId }) => rewardId);
}
