import type { Clock } from '../../../base/clock.ts';
import { areOfOneAccount, type HighWaterMarks } from '../../ledger/high-water-mark.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { hasEventOf, standingFailure } from '../../ledger/ledger-standing.ts';
import { markOf } from '../../ledger/mark-of.ts';
import { placeOf } from '../../ledger/this-place.ts';
import { openHighWaterMarks } from './high-water-marks.ts';

interface Acceptance {
  readonly path: string;
  /** The file that knows how far ledgers go, outside of them. */
  readonly marksPath: string;
  readonly clock: Clock;
}

/** As `LedgerStore.accept`. */
export async function acceptLedger(ledger: Ledger, acceptance: Acceptance): Promise<void> {
  const nowMs = acceptance.clock.now();
  const { atMs = nowMs, comparedAtMs = null } = (await ledger.custody.restoration()) ?? {};
  const marks = await openHighWaterMarks(acceptance.marksPath);
  try {
    const subject = { accounts: await ledger.accounts(), origin: ledger.identity.origin };
    const known = marks.all().filter((mark) => areOfOneAccount(mark, subject));
    // One of the future was made before the clock was set back, and says nothing of what came after it.
    const isRecent =
      comparedAtMs !== null &&
      comparedAtMs <= nowMs &&
      known.every(({ movedAtMs }) => movedAtMs <= comparedAtMs);
    await ledger.custody.noteRestored(
      { atMs, acceptedAtMs: nowMs, comparedAtMs: isRecent ? comparedAtMs : null },
      `accepted as the ledger in use on ${new Date(nowMs).toISOString()}`,
    );
    await install(ledger, marks, acceptance);
  } finally {
    marks.close();
  }
}

/**
 * As `LedgerStore.move`. Whether it is the newest is checked again: a process with another file of it may have paid
 * while the person decided.
 * @throws Failure('ledger') where it did, or does so at this moment.
 */
export async function moveLedger(ledger: Ledger, acceptance: Acceptance): Promise<void> {
  const { path, marksPath, clock } = acceptance;
  const marks = await openHighWaterMarks(marksPath);
  try {
    const mark = marks.find(ledger.identity.ledgerId);
    if (mark === undefined || mark.isRetired) {
      await install(ledger, marks, acceptance);
      return;
    }
    const older = { kind: 'older', mark, lastSeq: await ledger.lastSeq() } as const;
    if (!(await hasEventOf(ledger, mark))) throw standingFailure(path, older);
    const place = placeOf(path);
    await ledger.custody.notePlace(place);
    const position = { ...(await ledger.lastEvent()), path, inode: place.inode, movedAtMs: clock.now() };
    if (!marks.move(mark, position)) throw standingFailure(path, older);
    marks.add({ ...mark, accounts: await ledger.accounts() });
  } finally {
    marks.close();
  }
}

/** The ledger first: until the mark is there too, it is refused as before. */
async function install(ledger: Ledger, marks: HighWaterMarks, { path, clock }: Acceptance): Promise<void> {
  const place = placeOf(path);
  await ledger.custody.notePlace(place);
  marks.install(await markOf(ledger, { path, inode: place.inode, nowMs: clock.now() }));
}
