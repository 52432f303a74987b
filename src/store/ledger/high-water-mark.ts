import type { Clock } from '../../base/clock.ts';
import type { EventMark, Ledger, LedgerIdentity, LedgerMeta } from './ledger.ts';

/**
 * The last known event of a ledger, and its file. It is kept outside the ledger, since a copy cannot know that it is
 * old.
 */
export interface HighWaterMark extends Pick<LedgerIdentity, 'ledgerId' | 'origin' | 'shop'> {
  /** Fingerprints of its known credentials; without any, it may belong to any account at its origin. */
  readonly accounts: readonly string[];
  readonly path: string;
  /** Null where a ledger itself knows best where it is used. */
  readonly inode: string | null;
  readonly seq: number;
  /** The hash of the event at `seq`. */
  readonly seal: string;
  /** That of the ledger when the mark was moved here. */
  readonly epoch: number;
  /** When it was moved here. */
  readonly movedAtMs: number;
  /** Whether another ledger took its place. */
  readonly isRetired: boolean;
}

/**
 * The marks of all ledgers of this user on this machine, for every profile, shop and address: an account has at most
 * one that is not retired. They survive the end of the process. After a loss of power a mark may be slightly old, and
 * then detects less.
 */
export interface HighWaterMarks {
  all(): readonly HighWaterMark[];
  find(ledgerId: string): HighWaterMark | undefined;
  /** Keeps the mark of a ledger that has none. To one that is there only accounts are added. */
  add(mark: HighWaterMark): void;
  /**
   * Moves a mark on, to the event, epoch and place of `to`. False, and nothing has changed, where it is no longer what
   * `from` says.
   */
  move(from: HighWaterMark, to: HighWaterMark): boolean;
  /** Makes this the ledger in use: others of its accounts are retired. */
  install(mark: HighWaterMark): void;
  close(): void;
}

/** What a mark says of the place of its ledger. */
export interface MarkedPlace {
  readonly path: string;
  /** Of the file; null where the ledger itself knows where it is used. */
  readonly inode: string | null;
  readonly clock: Clock;
}

/** The mark of a ledger that is in use at a place, at this event. */
export function markAt(
  { ledgerId, origin, shop, accounts, epoch }: LedgerMeta,
  { seq, seal }: EventMark,
  { path, inode, clock }: MarkedPlace,
): HighWaterMark {
  const identity = { ledgerId, origin, shop, accounts };
  return { ...identity, seq, seal, epoch, path, inode, movedAtMs: clock.now(), isRetired: false };
}

/** The mark of a ledger that is in use at a place, at its last event. */
export async function markOf(ledger: Ledger, place: MarkedPlace): Promise<HighWaterMark> {
  return markAt(await ledger.meta(), await ledger.lastEvent(), place);
}

/** Whether two ledgers may be of one account, as far as is known. */
export function areOfOneAccount(
  one: Pick<HighWaterMark, 'accounts' | 'origin'>,
  other: Pick<HighWaterMark, 'accounts' | 'origin'>,
): boolean {
  const areKnown = one.accounts.length > 0 && other.accounts.length > 0;
  return areKnown
    ? one.accounts.some((account) => other.accounts.includes(account))
    : one.origin === other.origin;
}
