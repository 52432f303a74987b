import type { Clock } from '../../base/clock.ts';
import type { HighWaterMark } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';
import type { UnfinishedImport } from './ledger-custody.ts';
import type { Standing } from './ledger-standing.ts';

export interface LedgerOptions {
  readonly clock: Clock;
}

/** The expected ledger, and how it is judged. */
export interface ExpectedLedger extends LedgerOptions {
  readonly origin: string;
  /** Any shop if left out. */
  readonly shop?: string | undefined;
  /** The account of the credential in use; left out if the service is not called. */
  readonly account?: string | undefined;
  /** Also accepts a ledger of another address, which the caller checks. */
  readonly isAnyOrigin?: boolean;
  /** The user vouches for its disk, whatever the file system. */
  readonly isAnyDisk?: boolean;
}

/** A ledger, and the verdict whether it is in use. Otherwise its `fence` passes no claim. */
export interface OpenedLedger {
  readonly ledger: Ledger;
  readonly standing: Standing;
}

export interface LedgerStart {
  /** The address of the service and its name of the shop, fixed from here on. */
  readonly origin: string;
  readonly shop: string;
  /** The account of the credential in use, recorded as one of the shop. */
  readonly account?: string;
  /** A person declares the previous ledger of the account lost for good. */
  readonly isReplacement?: boolean;
  /** The import that must end before it pays. It is frozen from the start. */
  readonly unfinishedImport?: UnfinishedImport;
  readonly isAnyDisk?: boolean;
  readonly clock: Clock;
}

/** The place of one ledger: opens, creates, copies and replaces it. */
export interface LedgerStore {
  /** True if a ledger is there, in any condition. @throws Failure('locked') while one is being moved there. */
  exists(): Promise<boolean>;
  /**
   * Opens the ledger to pay from it, after checking that it is the right one, intact, and in use. Never creates one,
   * and changes nothing in one that it refuses. It refuses a ledger that other users could change, or that a restart or
   * another machine could revert.
   * @throws Failure('ledger') with the reason and the next step; Failure('locked') while other processes keep it busy.
   */
  open(expected: ExpectedLedger): Promise<Ledger>;
  /**
   * As `open`, for a person who inspects, compares and records findings: also opens one that is not in use.
   * @throws as `open` for one that is missing, damaged, of another shop or linked.
   */
  openAny(expected: ExpectedLedger): Promise<OpenedLedger>;
  /**
   * Opens the ledger without judging it. It must not be used to pay. With `isOnlyRead`, nothing is written to it, so
   * its server may be one that does not write durably.
   * @throws Failure('ledger') if it is not a ledger or is damaged; Failure('unwritable-path') if it cannot be written.
   */
  openUnjudged(options: LedgerOptions & { readonly isOnlyRead?: boolean }): Promise<Ledger>;
  /**
   * Creates an empty ledger, completely or not at all, private to its owner, and marks it as the one in use for
   * its account. Missing folders of the state are created and survive a loss of power with it.
   * @throws Failure('ledger') if a file exists already, or the account is known to have another ledger;
   *   Failure('unwritable-path') if it cannot be written.
   */
  create(start: LedgerStart): Promise<void>;
  /**
   * Copies the ledger as of one instant, while others use it, to a new `file` private to its owner, completely or
   * not at all. The copy is frozen and marked as a copy, so that no process pays from it by mistake.
   * @throws Failure('ledger') if the ledger is damaged; Failure('unwritable-path') if `file` cannot be written;
   *   Failure('usage') if it exists.
   */
  backup(file: string, options: { readonly clock: Clock }): Promise<void>;
  /**
   * A person declares this ledger, a backup, outdated or another one, to be in use from now on. It is frozen until it
   * has been compared with the records of the payer. An earlier comparison counts if no ledger of its account was used
   * since.
   */
  accept(ledger: Ledger, options: { readonly clock: Clock }): Promise<void>;
  /**
   * A person declares that this intact, newest ledger is used here from now on, and nowhere else.
   * @throws Failure('ledger') if another copy of it was used meanwhile.
   */
  move(ledger: Ledger, options: { readonly clock: Clock }): Promise<void>;
  /** The last known event of each ledger, recorded outside the ledgers. */
  marks(): Promise<readonly HighWaterMark[]>;
  /** @throws Failure('ledger') if this account is known to have a ledger: a second one would pay everything again. */
  checkNoneInUse(subject: Pick<HighWaterMark, 'origin' | 'accounts'>): Promise<void>;
}
