import type { Clock } from '../../base/clock.ts';
import type { HighWaterMark } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';
import type { UnfinishedImport } from './ledger-custody.ts';
import type { Standing } from './ledger-standing.ts';

export interface LedgerOptions {
  readonly clock: Clock;
}

/** Which ledger is expected, and how the one that is found is judged. */
export interface ExpectedLedger extends LedgerOptions {
  readonly origin: string;
  /** Any shop where it is left out. */
  readonly shop?: string | undefined;
  /** The account of the credential in use; left out where nothing is asked of the service. */
  readonly account?: string | undefined;
  /** It may be of a service under another name, which the caller checks. */
  readonly isAnyOrigin?: boolean;
  /** The user says that its disk keeps it, whatever file system it is. */
  readonly isAnyDisk?: boolean;
}

/** A ledger, and whether it is the one in use. No other one pays: its `fence` lets no claim through. */
export interface OpenedLedger {
  readonly ledger: Ledger;
  readonly standing: Standing;
}

export interface LedgerStart {
  /** The address of the service and the name of the shop there: fixed from here on. */
  readonly origin: string;
  readonly shop: string;
  /** The account that asks, known from here on to belong to the shop. */
  readonly account?: string;
  /** A person says that the ledger the account had is lost for good. */
  readonly isReplacement?: boolean;
  /** What it imports before it pays anything: it is frozen from its first instant on. */
  readonly unfinishedImport?: UnfinishedImport;
  readonly isAnyDisk?: boolean;
  readonly clock: Clock;
}

/** The place of one ledger: what opens, creates, copies and replaces it. */
export interface LedgerStore {
  /** Whether a ledger is there, whatever its state. @throws Failure('locked') while one is being moved there. */
  exists(): Promise<boolean>;
  /**
   * Opens the ledger to pay from it, after checking that it is the right one, intact, and in use. Creates none, and
   * changes nothing in one that it refuses: one that other users could change, or that a restart or another machine
   * could take back, is the wrong one.
   * @throws Failure('ledger') with the reason and the next step; Failure('locked') while other processes keep it busy.
   */
  open(expected: ExpectedLedger): Promise<Ledger>;
  /**
   * As `open`, for a person who inspects, compares and records findings: also opens one that is not in use.
   * @throws as `open` for one that is missing, damaged, of another shop or linked.
   */
  openAny(expected: ExpectedLedger): Promise<OpenedLedger>;
  /**
   * Opens the ledger without judging it; it must not be used to pay. With `isOnlyRead`, nothing is written to it, and
   * what its server would make of that does not matter.
   * @throws Failure('ledger') where it is none or is damaged; Failure('unwritable-path') where it cannot be written.
   */
  openUnjudged(options: LedgerOptions & { readonly isOnlyRead?: boolean }): Promise<Ledger>;
  /**
   * Creates a new, empty ledger, completely or not at all, for its owner alone, and marks it as the one in use for its
   * account. Folders of the state that are missing are made, and survive a loss of power with it.
   * @throws Failure('ledger') where a file exists already, or the account is known to have another ledger;
   *   Failure('unwritable-path') where it cannot be written.
   */
  create(start: LedgerStart): Promise<void>;
  /**
   * Copies the ledger, as it is at one instant and while others use it, to a new `file` for its owner alone, completely
   * or not at all. The copy is frozen and marked as a copy, so that no process pays from it by mistake.
   * @throws Failure('ledger') where the ledger is damaged; Failure('unwritable-path') where `file` cannot be written;
   *   Failure('usage') where it exists.
   */
  backup(file: string, options: { readonly clock: Clock }): Promise<void>;
  /**
   * A person declares this ledger, which is a backup, out of date or another one, to be the one in use from now on. It
   * is frozen until it has been compared with the records of the payer. An earlier comparison applies where no ledger
   * of its account went on since.
   */
  accept(ledger: Ledger, options: { readonly clock: Clock }): Promise<void>;
  /**
   * A person declares that this intact and newest ledger is used here from now on, and nowhere else.
   * @throws Failure('ledger') where another copy of it went on meanwhile.
   */
  move(ledger: Ledger, options: { readonly clock: Clock }): Promise<void>;
  /** The last known event of each ledger, recorded outside of them. */
  marks(): Promise<readonly HighWaterMark[]>;
  /**
   * @throws Failure('ledger') where this account is known to have a ledger: a second one would pay everything again.
   */
  checkNoneInUse(subject: Pick<HighWaterMark, 'origin' | 'accounts'>): Promise<void>;
}
