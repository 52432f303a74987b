import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isPostgresUrl } from '../sql/postgres-address.ts';
import type { HighWaterMark, HighWaterMarks } from './high-water-mark.ts';
import type { EventMark, Ledger, LedgerEntry } from './ledger.ts';
import { noteBehind } from './ledger-behind.ts';
import type { Change } from './ledger-invariants.ts';
import { isOfKind, reachesMark } from './ledger-standing.ts';
import { isSameInode } from './this-place.ts';

/** Whether an older copy would pay twice after this change. The caller fences claims, before the call. */
function isDecisive(before: LedgerEntry | undefined, { entry, event }: Change): boolean {
  const hasNewKey = before !== undefined && entry.keyGeneration !== before.keyGeneration;
  return event?.kind === 'paid' || event?.kind === 'refused' || hasNewKey;
}

export interface FenceGround {
  readonly path: string;
  /** Of the file; null where the ledger itself knows where it is used. */
  readonly inode: string | null;
  readonly marks: HighWaterMarks;
  readonly clock: Clock;
}

/** A ledger whose claims and decisions are proved by its mark. Closing it closes the marks too. */
export function withFence(ledger: Ledger, ground: FenceGround): Ledger {
  const { marks } = ground;
  /** The last event that this process knows to be on the disk; those of others are theirs to mark. */
  let last: EventMark | undefined;
  /** The mark as this process last moved it. */
  let moved: HighWaterMark | undefined;
  const fence = sharing(async () => {
    const [from, newest] = [moved, last];
    // If the disk lost an event that it reported as written, a mark at that event would make this ledger an older copy.
    const [isWritten, isMarked, { epoch }] = await Promise.all([
      newest !== undefined && ledger.hasEvent(newest),
      from !== undefined && ledger.hasEvent(from),
      ledger.meta(),
    ]);
    const upTo = newest !== undefined && isWritten ? newest : await ledger.lastEvent();
    moved =
      (from?.epoch === epoch && isMarked ? movedOn(from, upTo, ground) : undefined) ??
      (await moveMark(ledger, upTo, ground));
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

/** A ledger that is not the one in use: a person may look at it and note findings, and no claim gets through. */
export function withoutClaims(ledger: Ledger, why: Failure): Ledger {
  return { ...ledger, fence: async () => Promise.reject(why) };
}

/** How often moving the mark is retried while other processes with the same ledger move it. */
const movesMaximum = 100;

/** Moves the mark on from where this process left it; undefined where it is not there any more. */
function movedOn(
  from: HighWaterMark,
  last: EventMark,
  { path, inode, marks, clock }: FenceGround,
): HighWaterMark | undefined {
  if (from.seq >= last.seq) return undefined;
  const to = { ...last, epoch: from.epoch, path, inode, movedAtMs: clock.now() };
  return marks.move(from, to) ? { ...from, ...to } : undefined;
}

/**
 * Moves the mark to `last`, an event that survives a loss of power: after a mark beyond it, the ledger would be taken
 * for an older copy. A later mark stays where it is if this ledger has its event, since it covers all events before. A
 * mark of an earlier epoch is moved whatever it says: a person has accepted the ledger since.
 * @throws Failure('ledger') where the mark belongs to another ledger.
 */
async function moveMark(
  ledger: Ledger,
  last: EventMark,
  { path, inode, marks, clock }: FenceGround,
): Promise<HighWaterMark> {
  for (let move = 1; move <= movesMaximum; move += 1) {
    const mark = marks.find(ledger.identity.ledgerId);
    if (mark === undefined || mark.isRetired) throw replaced(path, mark?.path ?? path);
    const isThisPlace = isOfKind(mark, path);
    const isThisFile = mark.inode === null || inode === null || isSameInode(mark.inode, inode);
    if (!isThisPlace || !isThisFile) throw replaced(path, mark.path);
    if (!(await reachesMark(ledger, mark))) {
      if (isPostgresUrl(path)) await noteBehind(ledger, mark);
      throw replaced(path, mark.path);
    }
    const { epoch } = await ledger.meta();
    const isLater = mark.epoch === epoch && mark.seq >= last.seq;
    const isOfPlace = mark.path === path && (mark.inode !== null || inode === null);
    if (isLater && isOfPlace) return mark;
    const { seq, seal } = isLater ? mark : last;
    const to = { seq, seal, epoch, path, inode, movedAtMs: clock.now() };
    if (marks.move(mark, to)) return { ...mark, ...to };
  }
  throw new Failure('locked', `others keep the mark of ${path} busy`, 'run the same command again');
}

function replaced(path: string, other: string): Failure {
  return new Failure(
    'ledger',
    other === path
      ? `${path} is no longer the ledger in use: a copy of it was used meanwhile, or replaced it`
      : `${path} is no longer the ledger in use: that is ${other} now`,
    hint`stop every process that pays from the other one; then find out which of them is right:
      ${reviewctl`ledger status`}, ${reviewctl`ledger reconcile`}`,
  );
}

/** Callers that ask while one pass is running share the next one, which begins after they asked. */
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
