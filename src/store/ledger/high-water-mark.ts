import type { LedgerIdentity } from './ledger.ts';

/** How far a ledger is known to go, and which file it is: kept outside of it, since a copy cannot know that it is old. */
export interface HighWaterMark extends Pick<LedgerIdentity, 'ledgerId' | 'origin' | 'shop'> {
  /** Fingerprints of the credentials it is known to be of; without any it may be anybody's at its origin. */
  readonly accounts: readonly string[];
  readonly path: string;
  /** Null in marks of earlier versions. */
  readonly inode: string | null;
  readonly seq: number;
  /** The hash of the event at `seq`; null in marks of earlier versions. */
  readonly seal: string | null;
  /** When it was moved here; 0 in marks of earlier versions. */
  readonly movedAtMs: number;
  /** Whether another ledger took its place. */
  readonly isRetired: boolean;
}

/** What of a mark moves on with its ledger. */
export type MarkPosition = Pick<HighWaterMark, 'seq' | 'seal' | 'path' | 'inode' | 'movedAtMs'>;

/**
 * The marks of all ledgers of this user on this machine, whatever profile, shop or address they are used by: an account has at most one
 * that is not retired. They survive the end of the process; after a loss of power one may be a moment old, and then notices less.
 */
export interface HighWaterMarks {
  all(): readonly HighWaterMark[];
  find(ledgerId: string): HighWaterMark | undefined;
  /** Keeps the mark of a ledger that has none. To one that is there only accounts are added. */
  add(mark: HighWaterMark): void;
  /** Moves a mark on. False, and nothing has changed, where it is no longer what `from` says. */
  move(from: HighWaterMark, to: MarkPosition): boolean;
  /** Makes this the ledger in use: others of its accounts are retired. */
  install(mark: HighWaterMark): void;
  close(): void;
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
