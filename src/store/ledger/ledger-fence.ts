import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isPostgresUrl } from '../sql/postgres-address.ts';
import { type HighWaterMark, type HighWaterMarks, type MarkedPlace, markAt } from './high-water-mark.ts';
import type { EventMark, Ledger, LedgerEntry } from './ledger.ts';
import { noteBehind } from './ledger-behind.ts';
import type { Change } from './ledger-invariants.ts';
import { isOfKind, isReached } from './ledger-standing.ts';
import { isSameInode } from './this-place.ts';

/** True if an older copy would pay twice after this change. Claims are fenced by the caller, before the call. */
function isDecisive(before: LedgerEntry | undefined, { entry, event }: Change): boolean {
  const hasNewKey = before !== undefined && entry.keyGeneration !== before.keyGeneration;
  return event?.kind === 'paid' || event?.kind === 'refused' || hasNewKey;
}

/** A ledger that proves claims and decisions by its mark. Closing it also closes the marks. */
export function withFence(ledger: Ledger, ground: MarkedPlace & { readonly marks: HighWaterMarks }): Ledger {
  const { marks } = ground;
  /** The last event that this process knows to be on disk. Other processes mark their own events. */
  let last: EventMark | undefined;
  const fence = sharing(async () => {
    for (let move = 1; move <= movesMaximum; move += 1) if (await advanceMark(ledger, ground, last)) return;
    throw new Failure(
      'locked',
      `other processes keep the mark of ${ground.path} busy`,
      'run the same command again',
    );
  });
  return {
    ...ledger,
    fence,
    change: async (rewardId, step, options) => {
      let mustProve = false;
      const stepped = await ledger.change(
        rewardId,
        (facts) => {
          const decision = step(facts);
          mustProve = decision.kind === 'change' && isDecisive(facts.entry, decision);
          return decision;
        },
        options,
      );
      if (stepped.kind === 'changed' && stepped.seq > (last?.seq ?? 0))
        last = { seq: stepped.seq, seal: stepped.seal };
      if (stepped.kind === 'changed' && mustProve) await fence();
      return stepped;
    },
    addAccount: async (account) => {
      await ledger.addAccount(account);
      const mark = marks.find(ledger.identity.ledgerId);
      if (mark !== undefined) marks.add({ ...mark, accounts: [account] });
    },
    close: async () => {
      marks.close();
      await ledger.close();
    },
  };
}

/** A ledger that is not in use: a person may read it and record findings, but no claim passes. */
export function withoutClaims(ledger: Ledger, why: Failure): Ledger {
  return { ...ledger, fence: async () => Promise.reject(why) };
}

/** Attempts to advance the mark while other processes advance it. */
const movesMaximum = 100;

/**
 * Advances the mark to `newest`, an event that survives a loss of power: with a mark beyond it, the ledger would pass
 * for an older copy. A later mark stays if this ledger has its event, since it covers all earlier events. A mark of an
 * earlier epoch always moves, since a person has accepted the ledger since. Returns false if another process moved the
 * mark meanwhile.
 * @throws Failure('ledger') if the mark belongs to another ledger.
 */
async function advanceMark(
  ledger: Ledger,
  ground: Parameters<typeof withFence>[1],
  newest: EventMark | undefined,
): Promise<boolean> {
  const { path, inode, marks } = ground;
  const mark = marks.find(ledger.identity.ledgerId);
  if (mark === undefined || mark.isRetired || !isMarkedPlace(mark, ground))
    throw replaced(path, mark?.path ?? path);
  const [meta, isMarked, isWritten] = await Promise.all([
    ledger.meta(),
    ledger.hasEvent(mark),
    newest !== undefined && ledger.hasEvent(newest),
  ]);
  if (!isReached(mark, meta.epoch, isMarked)) {
    if (isPostgresUrl(path)) await noteBehind(ledger, mark);
    throw replaced(path, mark.path);
  }
  // The disk may have lost an event that it reported as written. A mark at that event would make this ledger look
  // older.
  const last = newest !== undefined && isWritten ? newest : await ledger.lastEvent();
  const isLater = mark.epoch === meta.epoch && mark.seq >= last.seq;
  if (isLater && mark.path === path && (mark.inode !== null || inode === null)) return true;
  return marks.move(mark, markAt(meta, isLater ? mark : last, ground));
}

/** True if the mark is that of the ledger at this place, under any name. */
function isMarkedPlace(mark: HighWaterMark, { path, inode }: MarkedPlace): boolean {
  return isOfKind(mark, path) && (mark.inode === null || inode === null || isSameInode(mark.inode, inode));
}

function replaced(path: string, other: string): Failure {
  return new Failure(
    'ledger',
    other === path
      ? `${path} is no longer the ledger in use: a copy of it was used meanwhile, or replaced it`
      : `${path} is no longer the ledger in use: ${other} is in use now`,
    hint`stop every process that pays from the other one; then find out which of them is right:
      ${reviewctl`ledger status`}, ${reviewctl`ledger reconcile`}`,
  );
}

/** Calls made during a pass share the next one, which begins after them. */
function sharing(pass: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const began = pass();
      running = began.catch(() => undefined);
      return began;
    });
    return next;
  };
}
