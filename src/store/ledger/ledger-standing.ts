import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { timeInWords } from '../../base/korean-time.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isPostgresUrl, placeFlag, placeText } from '../sql/postgres-address.ts';
import { areOfOneAccount, type HighWaterMark } from './high-water-mark.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import type { LastPlace, Restoration } from './ledger-custody.ts';
import { movedLedger } from './ledger-failure.ts';
import { isSameInode } from './this-place.ts';

/** The verdict about a ledger, by its own records and the marks outside: in use here, or refused. */
export type Standing = { readonly kind: 'current' } | Refused;

/** A ledger that must not pay. */
export interface Refused {
  /**
   * `copy`: a backup that no person has accepted, or a database that a machine found to be put back. `older`: it lacks
   * the event of its mark, because it is older or has diverged. `other`: its account uses another ledger.
   * `elsewhere`: it was last used on another machine or server, or as another file. `moving`: it is moving to a
   * database. `unmarked`: the marks cannot be read.
   */
  readonly kind: 'copy' | 'older' | 'other' | 'elsewhere' | 'moving' | 'unmarked';
  /** Why it must not pay, and the exact next step. */
  readonly failure: Failure;
  /** The mark of the ledger in use, if that is the reason. */
  readonly mark?: HighWaterMark | undefined;
}

/** The facts outside a ledger by which it is judged. */
export interface StandingGround {
  readonly marks: readonly HighWaterMark[];
  /** The file or the address of the ledger. */
  readonly path: string;
  readonly place: LastPlace;
  /** The account in use; left out if the service is not called. */
  readonly account?: string | undefined;
}

/** Judges a ledger by its own records and the marks. Returns the most dangerous finding. */
export async function standingOf(ledger: Ledger, ground: StandingGround): Promise<Standing> {
  const { path, marks } = ground;
  const meta = await ledger.meta();
  const mark = marks.find(({ ledgerId }) => ledgerId === meta.ledgerId);
  const other = otherInUse(meta, mark, ground);
  if (other !== undefined) return otherStanding(path, other);
  const { movedTo, restoration } = meta;
  if (mark !== undefined && !(await reachesMark(ledger, mark))) {
    return movedTo === undefined
      ? olderStanding(path, mark, await ledger.lastSeq())
      : movedStanding(path, movedTo);
  }
  if (restoration !== null && restoration.acceptedAtMs === null) return copyStanding(path, restoration);
  const elsewhere = placeStanding(meta.place, mark, ground);
  if (elsewhere !== undefined) return elsewhere;
  return movedTo === undefined ? { kind: 'current' } : { kind: 'moving', failure: movedLedger(movedTo) };
}

/** True if the ledger reaches the mark. */
export async function reachesMark(ledger: Ledger, mark: HighWaterMark): Promise<boolean> {
  const [{ epoch }, hasEvent] = await Promise.all([ledger.meta(), ledger.hasEvent(mark)]);
  return isReached(mark, epoch, hasEvent);
}

/**
 * True if a ledger of this epoch reaches the mark: it has the event of the mark, or a person has since accepted it
 * without that event.
 */
export function isReached(mark: HighWaterMark, epoch: number, hasEvent: boolean): boolean {
  return mark.epoch === epoch ? hasEvent : mark.epoch < epoch;
}

/**
 * Finds another ledger in use for the same account. Marks without a known account apply only to ledgers without a mark.
 */
function otherInUse(
  { ledgerId, origin, accounts: known }: LedgerMeta,
  mark: HighWaterMark | undefined,
  { marks, account }: StandingGround,
): HighWaterMark | undefined {
  const accounts = [...known, ...(account === undefined ? [] : [account])];
  const isKnown = mark !== undefined && !mark.isRetired;
  const others = marks.filter((other) => other.ledgerId !== ledgerId && !other.isRetired);
  return others.find((other) => {
    if (isKnown && (other.accounts.length === 0 || accounts.length === 0)) return false;
    return areOfOneAccount({ accounts, origin }, other);
  });
}

/** Refuses a ledger that was last used elsewhere; undefined if it was used here. */
function placeStanding(
  used: LastPlace | null,
  mark: HighWaterMark | undefined,
  { place, path }: StandingGround,
): Refused | undefined {
  if (mark !== undefined && !isOfKind(mark, path)) return elsewhereStanding(path, mark);
  const isOtherHost = used !== null && used.host !== null && place.host !== null && used.host !== place.host;
  const inodes = [used?.inode, mark?.inode].filter((inode) => inode !== undefined && inode !== null);
  const isHere = !isOtherHost && inodes.every((inode) => isSameInode(inode, place.inode));
  return isHere ? undefined : elsewhereStanding(path, mark);
}

/** True if a mark and the ledger at `path` are both databases or both files. A mark of a database has no inode. */
export function isOfKind(mark: Pick<HighWaterMark, 'path'>, path: string): boolean {
  return isPostgresUrl(mark.path) === isPostgresUrl(path);
}

function refused(kind: Refused['kind'], message: string, remedy: HintText, mark?: HighWaterMark): Refused {
  return { kind, failure: new Failure('ledger', message, remedy), mark };
}

function acceptHint(path: string): HintText {
  return reviewctl`ledger accept ${placeFlag(path)}`;
}

/** Refuses a ledger of which another copy was used meanwhile. */
export function olderStanding(path: string, mark: HighWaterMark, lastSeq: number): Refused {
  const frozen = isPostgresUrl(path) ? '; it is frozen for every machine' : '';
  const message =
    lastSeq < mark.seq
      ? `the ledger ${path} is out of date: it ends at event ${lastSeq}, but event ${mark.seq} was recorded${frozen}`
      : `the ledger ${path} is a copy that diverged: it lacks event ${mark.seq} of the ledger in use${frozen}`;
  const remedy = hint`use the newest ledger; if this is the newest: ${acceptHint(path)}`;
  return refused('older', message, remedy, mark);
}

function otherStanding(path: string, mark: HighWaterMark): Refused {
  return refused(
    'other',
    `${path} is not the ledger in use for this account; that one is at ${mark.path}, with ${mark.seq} events`,
    hint`use that one with ${placeText(mark.path)}, or restore it;
      if it is lost for good and this one takes its place: ${acceptHint(path)}`,
    mark,
  );
}

function copyStanding(path: string, { atMs, lostEvents }: Restoration): Refused {
  if (isPostgresUrl(path)) {
    // Not counted: events after the last mark, and events recorded here since.
    const events =
      lostEvents === null
        ? 'events'
        : lostEvents === 1
          ? 'at least an event'
          : `at least ${lostEvents} events`;
    return refused(
      'copy',
      `the ledger ${path} was put back to an earlier state: another machine recorded ${events} that it lacks; no ` +
        'machine pays from it',
      hint`if nothing newer is left: ${acceptHint(path)}`,
    );
  }
  return refused(
    'copy',
    `${path} is a backup${atMs === 0 ? '' : ` of ${timeInWords(atMs)}`}, and not in use`,
    hint`if the ledger it was made from is lost: ${acceptHint(path)}`,
  );
}

/** The mark may have been copied with the file, so only a person knows whether anything was paid since. */
function elsewhereStanding(path: string, mark: HighWaterMark | undefined): Refused {
  const other = mark?.path ?? path;
  if (isPostgresUrl(other) && !isPostgresUrl(path)) return movedStanding(path, other);
  const where = isPostgresUrl(path)
    ? 'on another server or timeline: it was restored, or a replica took over'
    : `on another machine, or as another file${other === path ? '' : `, ${other}`}`;
  return refused(
    'elsewhere',
    `the ledger ${path} was last used ${where}`,
    hint`if nothing that was recorded there is missing here, and it will never be used there again:
      ${reviewctl`ledger accept --complete ${placeFlag(path)}`}; if it came from a backup: ${acceptHint(path)}`,
    mark,
  );
}

function movedStanding(path: string, to: string): Refused {
  return refused(
    'elsewhere',
    `the ledger ${path} was moved to ${to}`,
    `use that one: -c state=${shellWord(to)}`,
  );
}
