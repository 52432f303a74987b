import { areOfOneAccount, type HighWaterMarks, markOf } from './high-water-mark.ts';
import type { LedgerGround } from './judge-ledger.ts';
import type { Ledger } from './ledger.ts';
import { eventsLost } from './ledger-behind.ts';
import { olderStanding, reachesMark } from './ledger-standing.ts';

/** As `LedgerStore.accept`. */
export async function acceptLedger(ledger: Ledger, ground: LedgerGround): Promise<void> {
  const { custody, identity } = ledger;
  const nowMs = ground.clock.now();
  const { restoration, accounts, epoch } = await ledger.meta();
  const atMs = restoration?.atMs ?? (await ledger.lastEventAtMs()) ?? identity.createdAtMs;
  const comparedAtMs = restoration?.comparedAtMs ?? null;
  const marks = await ground.openMarks();
  try {
    const subject = { accounts, origin: identity.origin };
    const known = marks.all().filter((mark) => areOfOneAccount(mark, subject));
    // A comparison dated in the future was made before the clock was set back, and says nothing about later events.
    // Accepting a ledger again restarts the comparison.
    const isRecent =
      restoration?.acceptedAtMs === null &&
      comparedAtMs !== null &&
      comparedAtMs <= nowMs &&
      known.every(({ movedAtMs }) => movedAtMs <= comparedAtMs);
    const mark = marks.find(identity.ledgerId);
    const lostEvents = await eventsLost(ledger, mark, restoration?.lostEvents);
    await custody.noteRestored(
      { atMs, acceptedAtMs: nowMs, comparedAtMs: isRecent ? comparedAtMs : null, lostEvents },
      `accepted as the ledger in use on ${new Date(nowMs).toISOString()}`,
      Math.max(epoch, mark?.epoch ?? 0) + 1,
    );
    await install(ledger, marks, ground);
  } finally {
    marks.close();
  }
}

/**
 * As `LedgerStore.move`. Checks again that it is the newest: a process with another file of it may have paid while the
 * person decided.
 * @throws Failure('ledger') if it did, or does so now.
 */
export async function moveLedger(ledger: Ledger, ground: LedgerGround): Promise<void> {
  const marks = await ground.openMarks();
  try {
    const mark = marks.find(ledger.identity.ledgerId);
    if (mark === undefined || mark.isRetired) {
      await install(ledger, marks, ground);
      return;
    }
    const { failure } = olderStanding(ground.path, mark, await ledger.lastSeq());
    if (!(await reachesMark(ledger, mark))) throw failure;
    await ledger.custody.notePlace(ground.place);
    const moved = await markOf(ledger, ground);
    if (!marks.move(mark, moved)) throw failure;
    // Adds the known accounts.
    marks.add(moved);
  } finally {
    marks.close();
  }
}

/** Updates the ledger first: until the mark follows, it is refused as before. */
async function install(ledger: Ledger, marks: HighWaterMarks, ground: LedgerGround): Promise<void> {
  await ledger.custody.notePlace(ground.place);
  marks.install(await markOf(ledger, ground));
}
