import type { Clock } from '../../base/clock.ts';
import type { EventMark, Ledger, LedgerIdentity, LedgerMeta } from './ledger.ts';

/** The last known event of a ledger, and its file. Kept outside the ledger, since a copy cannot know that it is old. */
export interface HighWaterMark extends Pick<LedgerIdentity, 'ledgerId' | 'origin' | 'shop'> {
  /** Fingerprints of its known credentials. If empty, it may belong to any account at its origin. */
  readonly accounts: readonly string[];
  readonly path: string;
  /** Null if the ledger itself records where it is used. */
  readonly inode: string | null;
  readonly seq: number;
  /** The hash of the event at `seq`. */
  readonly seal: string;
  /** The epoch of the ledger when the mark was last advanced. */
  readonly epoch: number;
  /** When the mark was last advanced. */
  readonly movedAtMs: number;
  /** True if another ledger replaced it. */
  readonly isRetired: boolean;
}

/**
 * The marks of all ledgers of this user on this machine, across profiles, shops and addresses. An account has at most
 * one that is not retired. Marks survive the end of the process. After a loss of power a mark may be slightly old, and
 * then detects less.
 */
export interface HighWaterMarks {
  all(): readonly HighWaterMark[];
  find(ledgerId: string): HighWaterMark | undefined;
  /** Adds the mark of a ledger. If the ledger has one, only adds the accounts to it. */
  add(mark: HighWaterMark): void;
  /**
   * Advances a mark to the event, epoch and place of `to`. Returns false and changes nothing if it differs from `from`.
   */
  move(from: HighWaterMark, to: HighWaterMark): boolean;
  /** Makes this the ledger in use and retires the others of its accounts. */
  install(mark: HighWaterMark): void;
  close(): void;
}

/** The place that a mark records. */
export interface MarkedPlace {
  readonly path: string;
  /** The inode of the file; null if the ledger itself records where it is used. */
  readonly inode: string | null;
  readonly clock: Clock;
}

/** The mark of a ledger in use at a place, at the given event. */
export function markAt(
  { ledgerId, origin, shop, accounts, epoch }: LedgerMeta,
  { seq, seal }: EventMark,
  { path, inode, clock }: MarkedPlace,
): HighWaterMark {
  const identity = { ledgerId, origin, shop, accounts };
  return { ...identity, seq, seal, epoch, path, inode, movedAtMs: clock.now(), isRetired: false };
}

/** The mark of a ledger in use at a place, at its last event. */
export async function markOf(ledger: Ledger, place: MarkedPlace): Promise<HighWaterMark> {
  return markAt(await ledger.meta(), await ledger.lastEvent(), place);
}

/** True if two ledgers may belong to the same account. */
export function areOfOneAccount(
  one: Pick<HighWaterMark, 'accounts' | 'origin'>,
  other: Pick<HighWaterMark, 'accounts' | 'origin'>,
): boolean {
  const areKnown = one.accounts.length > 0 && other.accounts.length > 0;
  return areKnown
    ? one.accounts.some((account) => other.accounts.includes(account))
    : one.origin === other.origin;
}
