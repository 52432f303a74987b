import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { timeInWords } from '../../base/korean-time.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isPostgresUrl, placeFlag, placeText } from '../sql/postgres-address.ts';
import { areOfOneAccount, type HighWaterMark } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';
import type { PlaceUsed } from './ledger-custody.ts';
import { isSameInode } from './this-place.ts';

/** Whether a ledger is the one in use, as far as it says itself and the marks outside of it say. */
export type Standing =
  | { readonly kind: 'current' }
  /** A backup that no person has accepted, or one in a database that a machine has found to be put back. */
  | { readonly kind: 'copy'; readonly atMs: number; readonly lostEvents: number | null }
  /** The mark names an event it does not have: it is older, or went another way. */
  | { readonly kind: 'older'; readonly mark: HighWaterMark; readonly lastSeq: number }
  /** The account has another ledger in use. */
  | { readonly kind: 'other'; readonly mark: HighWaterMark }
  /** It was last used on another machine. */
  | { readonly kind: 'other-machine' }
  /** It was last used as another file, perhaps at `path`. */
  | { readonly kind: 'other-file'; readonly path: string | undefined }
  /** The marks cannot be read. */
  | { readonly kind: 'unmarked'; readonly failure: Failure };

/** Any in which nothing is paid. */
export type Refused = Exclude<Standing, { readonly kind: 'current' }>;

/** What a ledger is judged by, besides itself. */
export interface StandingGround {
  readonly marks: readonly HighWaterMark[];
  /** The file or the address of the ledger. */
  readonly path: string;
  readonly place: PlaceUsed;
  /** The account in use, where the service is asked anything. */
  readonly account?: string | undefined;
}

/** Judges a ledger by its own records and the marks; the most dangerous finding comes first. */
export async function standingOf(ledger: Ledger, ground: StandingGround): Promise<Standing> {
  const { ledgerId: own } = ledger.identity;
  const mark = ground.marks.find(({ ledgerId }) => ledgerId === own);
  const other = await otherInUse(ledger, mark, ground);
  if (other !== undefined) return { kind: 'other', mark: other };
  const { movedTo, restoration, place } = await ledger.meta();
  if (mark !== undefined && !(await reachesMark(ledger, mark))) {
    if (movedTo !== undefined) return { kind: 'other-file', path: movedTo };
    return { kind: 'older', mark, lastSeq: await ledger.lastSeq() };
  }
  if (restoration !== null && restoration.acceptedAtMs === null) {
    return { kind: 'copy', atMs: restoration.atMs, lostEvents: restoration.lostEvents };
  }
  return placeStanding(place, mark, ground);
}

/**
 * Whether the ledger goes as far as the mark says: it has the event that the mark names, or a person has accepted the
 * ledger without that event since.
 */
export async function reachesMark(ledger: Ledger, mark: HighWaterMark): Promise<boolean> {
  const [{ epoch }, hasEvent] = await Promise.all([ledger.meta(), ledger.hasEvent(mark)]);
  return mark.epoch === epoch ? hasEvent : mark.epoch < epoch;
}

/** The ledger in use for an account of this one. Marks without a known account apply only to ledgers without a mark. */
async function otherInUse(
  ledger: Ledger,
  mark: HighWaterMark | undefined,
  { marks, account }: StandingGround,
): Promise<HighWaterMark | undefined> {
  const { ledgerId, origin, accounts: known } = await ledger.meta();
  const accounts = [...known, ...(account === undefined ? [] : [account])];
  const isKnown = mark !== undefined && !mark.isRetired;
  const others = marks.filter((other) => other.ledgerId !== ledgerId && !other.isRetired);
  return others.find((other) => {
    if (isKnown && (other.accounts.length === 0 || accounts.length === 0)) return false;
    return areOfOneAccount({ accounts, origin }, other);
  });
}

function placeStanding(
  used: PlaceUsed | null,
  mark: HighWaterMark | undefined,
  { place, path }: Pick<StandingGround, 'place' | 'path'>,
): Standing {
  if (mark !== undefined && !isOfKind(mark, path)) return { kind: 'other-file', path: mark.path };
  const isElsewhere = used !== null && used.host !== null && place.host !== null && used.host !== place.host;
  if (isElsewhere) return { kind: 'other-machine' };
  const inodes = [used?.inode, mark?.inode].filter((inode) => inode !== undefined && inode !== null);
  return inodes.every((inode) => isSameInode(inode, place.inode))
    ? { kind: 'current' }
    : { kind: 'other-file', path: mark?.path };
}

/** Whether a mark and the ledger at `path` are of one kind of place. A mark of a database has no inode. */
export function isOfKind(mark: Pick<HighWaterMark, 'path'>, path: string): boolean {
  return isPostgresUrl(mark.path) === isPostgresUrl(path);
}

/** Why this ledger pays nothing, and the exact next step. */
export function standingFailure(path: string, standing: Refused): Failure {
  if (standing.kind === 'unmarked') return standing.failure;
  const [message, remedy] = standingWords(path, standing);
  return new Failure('ledger', message, remedy);
}

function standingWords(
  path: string,
  standing: Exclude<Refused, { readonly kind: 'unmarked' }>,
): readonly [message: string, remedy: HintText] {
  const accept = reviewctl`ledger accept ${placeFlag(path)}`;
  switch (standing.kind) {
    case 'copy':
      if (isPostgresUrl(path)) return putBackWords(path, standing.lostEvents);
      return [
        `${path} is a backup${standing.atMs === 0 ? '' : ` of ${timeInWords(standing.atMs)}`}, and ` +
          'not in use',
        hint`if the ledger it was made from is lost: ${accept}`,
      ];
    case 'older':
      return [
        olderWords(path, standing),
        hint`use the newest ledger there is; if that is this one: ${accept}`,
      ];
    case 'other':
      return [
        `${path} is not the ledger in use for this account; that one is at ${standing.mark.path}, with ` +
          `${standing.mark.seq} events`,
        hint`use that one with ${placeText(standing.mark.path)}, or restore it;
          if it is lost for good and this one takes its place: ${accept}`,
      ];
    case 'other-machine':
      return [
        `the ledger ${path} was last used on another machine`,
        newestHint('it will never be used there again', path),
      ];
    case 'other-file':
      if (isPostgresUrl(path)) return otherServerWords(path);
      if (isPostgresUrl(standing.path ?? path)) return movedWords(path, standing.path ?? path);
      return [
        `${path} is a copy of a ledger that was last used as another ` +
          `file${standing.path === undefined || standing.path === path ? '' : `, ${standing.path}`}`,
        newestHint('that file will never be used again', path),
      ];
  }
}

function putBackWords(path: string, lost: number | null): readonly [message: string, remedy: HintText] {
  const events = lost === null ? 'events' : lost === 1 ? 'an event' : `${lost} events`;
  return [
    `the ledger ${path} was put back to an earlier state: another machine recorded ${events} that it lacks; no ` +
      'machine pays from it',
    hint`if nothing newer is left: ${reviewctl`ledger accept ${placeFlag(path)}`}`,
  ];
}

function movedWords(path: string, to: string): readonly [message: string, remedy: HintText] {
  return [`the ledger ${path} was moved to ${to}`, `use that one: -c state=${shellWord(to)}`];
}

function otherServerWords(path: string): readonly [message: string, remedy: HintText] {
  return [
    `the ledger ${path} was last used on another server or timeline: it was restored, or a replica took over`,
    newestHint('nothing that the old server recorded is missing here', path),
  ];
}

/** Its mark may have been copied with it, so only a person knows whether anything was paid since. */
function newestHint(condition: string, path: string): HintText {
  const place = placeFlag(path);
  return hint`if it is as new as that one, and ${condition}: ${reviewctl`ledger accept --complete ${place}`}; if it came
    from a backup: ${reviewctl`ledger accept ${place}`}`;
}

function olderWords(path: string, { mark, lastSeq }: Extract<Standing, { readonly kind: 'older' }>): string {
  const frozen = isPostgresUrl(path) ? '; it is frozen for every machine' : '';
  return lastSeq < mark.seq
    ? `the ledger ${path} is out of date: it ends at event ${lastSeq}, but event ${mark.seq} was recorded${frozen}`
    : `the ledger ${path} is a copy that diverged: it lacks event ${mark.seq} of the ledger in use${frozen}`;
}
