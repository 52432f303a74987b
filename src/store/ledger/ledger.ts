import type { JsonObject } from '../../base/json.ts';
import type { Money } from '../../base/money.ts';
import type { LedgerCustody, PlaceUsed, Restoration, UnfinishedImport } from './ledger-custody.ts';
import type { LedgerPlans } from './ledger-plans.ts';
import type { paymentStates, reportStates } from './ledger-states.ts';

/**
 * What happened to the money of a reward. `intended`: no payment is in progress. `paying`: a call to the payer may be
 * in progress. `unknown`: a call may have paid it, and no program can find out. `paid` and `refused` are final.
 */
export type PaymentState = (typeof paymentStates)[number];

/**
 * What the service knows of the outcome: not sent yet, sent without proof, confirmed by the service, or in conflict
 * with its records.
 */
export type ReportState = (typeof reportStates)[number];

/** What the service last showed of a reward. */
export interface Observation {
  readonly atMs: number;
  /** The run that saw it. */
  readonly run: string;
  /** RewardRequestStatus, or whatever else the service wrote; empty where it wrote none. */
  readonly status: string;
  /** Null where the reward carries no exact amount. */
  readonly amount: Money | null;
  /** Null for a guest order. */
  readonly memberOriginId: string | null;
  /** The JSON text of the Reward as the service sent it; a JSON list where one list showed it with different terms. */
  readonly document: string;
}

/** What a payment key identifies, from the first call on: it never changes while the key is the same. */
export interface Terms {
  readonly key: string;
  readonly amount: Money;
  readonly memberOriginId: string;
  /** The JSON text of the Reward that the payer is shown, the same with every call. */
  readonly document: string;
}

/** A call to the payer that may be under way. */
export interface Call {
  /** The process, or the batch of a results file, that may act. */
  readonly owner: string;
  /** The call has ended by then; null for a batch, which a person carries out. */
  readonly leaseUntilMs: number | null;
}

/** One reward in the ledger. */
export interface LedgerEntry {
  readonly rewardId: string;
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly seen: Observation;
  /** How often a payment under an earlier key was proven not to have happened. */
  readonly keyGeneration: number;
  /** Null before the first call. */
  readonly terms: Terms | null;
  /** The payer that was called last. */
  readonly payer: string | null;
  /** Calls begun so far, under every key. */
  readonly attempt: number;
  /**
   * When the first call under the current key was claimed: the payer cannot have known the key before. Kept with the
   * key.
   */
  readonly firstCallAtMs: number | null;
  /**
   * The latest instant at which a call that may have paid can have left. A repeated call that provably paid nothing
   * leaves it as it was; if no call is in doubt, it is when the last one was claimed, or the last event before that.
   */
  readonly lastCallAtMs: number | null;
  /** Whether an earlier call under the current key may have paid, or may still pay. */
  readonly isInDoubt: boolean;
  /**
   * Always while `paying`. While `unknown`, the call of a process that is gone and whose payer may still act until the
   * lease ends; null if none may.
   */
  readonly call: Call | null;
  /** The budgets that hold the reservation of its amount, or count it as spent. */
  readonly scopes: readonly string[];
  /** The payer's receipt of a payment. */
  readonly ref: string | null;
  /** Why it is refused, unknown, in conflict or released; null where there is no reason. */
  readonly reason: string | null;
}

/** What one scope (a run, a Korean day, a member on a day) has reserved and spent. */
export interface Budget {
  readonly scope: string;
  readonly reservedAmount: Money;
  readonly reservedCount: number;
  readonly spentAmount: Money;
  readonly spentCount: number;
}

/** Limits of one scope; null where it has none. */
export interface Cap {
  readonly scope: string;
  readonly amount: Money | null;
  readonly count: number | null;
}

/** What happened, as the events of the ledger name it. Who gives the evidence of an outcome makes no other kind. */
export type EventKind =
  | 'seen'
  | 'claimed'
  | 'paid'
  | 'refused'
  | 'released'
  | 'unknown'
  /** With the result as its `report`. */
  | 'reported'
  /** The payer took the payment back. The reward stays decided. */
  | 'reversed';

/** What a step decides: to change the entry, or to leave it. */
export type Decision<Kept> =
  | {
      readonly kind: 'change';
      readonly entry: LedgerEntry;
      /** None for a new observation alone, which changes neither `payment` nor `report`. */
      readonly event?: { readonly kind: EventKind; readonly detail: JsonObject };
      /** Of a claim: the budgets that it reserves in. The entry had none of them; they join those it had. */
      readonly reserve?: readonly Cap[];
    }
  | { readonly kind: 'no-change'; readonly reason: Kept };

/** What a step knows when it decides, all of one instant. */
export interface Facts {
  /** Undefined where the ledger does not know the reward. */
  readonly entry: LedgerEntry | undefined;
  readonly nowMs: number;
  /** Why the ledger is frozen; undefined while it is not. */
  readonly frozen: string | undefined;
  /** The budget of each scope that was asked for; untouched ones are zero. */
  budget(scope: string): Budget;
  /** When the last event of the reward was recorded; undefined if it has none. */
  lastEventAtMs(): number | undefined;
}

/** A pure function: it may be run several times for one change, and must depend on `facts` alone. */
export type Step<Kept> = (facts: Facts) => Decision<Kept>;

/**
 * The result of a step: the entry as it is now, with the last event of the ledger, which is its own if it has one; or
 * why the entry was left unchanged.
 */
export type Stepped<Kept> =
  | ({ readonly kind: 'changed'; readonly entry: LedgerEntry } & EventMark)
  | { readonly kind: 'kept'; readonly entry: LedgerEntry | undefined; readonly reason: Kept };

/** One line of the history of the ledger. `seq` starts at 1 and has no gaps, over all rewards. */
export interface LedgerEvent {
  readonly seq: number;
  readonly atMs: number;
  readonly rewardId: string;
  readonly kind: EventKind;
  /** The run, or the person, that did it. */
  readonly by: string;
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly attempt: number;
  readonly detail: JsonObject;
}

/** Whose ledger it is; fixed when it was made. */
export interface LedgerIdentity {
  /** Random, so that a new ledger differs from the one it replaces. */
  readonly ledgerId: string;
  /** The address of the service and the name of the shop there: with the reward's id, what keys are made of. */
  readonly origin: string;
  readonly shop: string;
  readonly createdAtMs: number;
}

/** What a ledger says of itself. It is read and written as a whole, and sealed like a row. */
export interface LedgerMeta extends LedgerIdentity {
  /** Fingerprints of credentials that are known to belong to its shop, in order. */
  readonly accounts: readonly string[];
  /** Further addresses of its service, in order, besides the one that keys are made of. */
  readonly otherOrigins: readonly string[];
  /** Where it was last used; null for one that was not used since it was copied. */
  readonly place: PlaceUsed | null;
  /** Grows each time that a person accepts it; a mark of an earlier epoch says nothing about a ledger of this one. */
  readonly epoch: number;
  /** A new id for each time that a person accepts it as the one in use; null for one that was never accepted. */
  readonly acceptance: string | null;
  /** Why it is frozen. */
  readonly frozen: string | null;
  /** The list whose import has not ended. */
  readonly unfinishedImport: UnfinishedImport['list'] | null;
  /** Null unless it was restored and not unfrozen since. */
  readonly restoration: Restoration | null;
  /** The database that it moves to, or has moved to: nothing more is recorded in it. */
  readonly movedTo?: string | undefined;
}

/** One event, by its number and a hash of its content: copies that diverged have no later event in common. */
export interface EventMark {
  /** 0 for a ledger without events. */
  readonly seq: number;
  readonly seal: string;
}

/**
 * How many rewards are in one state, and their amount by their terms; before there are terms, by the last observation.
 */
export interface StateSum {
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly count: number;
  readonly amount: Money;
}

/** Which entries to read. */
export interface EntryFilter {
  readonly payment?: readonly PaymentState[];
  readonly report?: readonly ReportState[];
  /** Those that this run was the last to see. */
  readonly seenByRun?: string;
  /** Those of which this owner ever claimed a call, in the order in which it did. */
  readonly claimedBy?: string;
}

export interface RunStart {
  readonly run: string;
  readonly command: string;
  readonly atMs: number;
}

/** A run that is on record; `succeededAtMs` is null unless it has ended well. */
export interface RunRecord extends RunStart {
  readonly succeededAtMs: number | null;
}

/**
 * What must be known of rewards after a crash, the same for every process that settles them.
 * Durability: when a promise of any method resolves, what it wrote or found survives the end of the process and a loss
 * of power. A failed write to the disk is thrown and never retried. The entry is then as it was before or after the
 * change, and the process must end.
 * Concurrency: any number of processes may use one ledger. Every change is atomic with its event and its posting, and
 * steps of one reward run one after the other. Concurrent steps may share a commit, and commits a wait for the disk.
 * Integrity: the ledger itself refuses (as a bug) a change that breaks `reserved + spent <= cap`, makes an invalid
 * transition of `payment` or `report`, changes terms under the same key, or changes a state without an event. It
 * refuses (as damage) a change with an event, unless it leads to `paid`, of an entry that is not as its last event
 * left it: someone put back an older row, and the reward may be paid.
 * Copies: a claim is valid only once `fence` has resolved after it. Of several copies of one ledger, only one passes
 * its fence.
 * Names: ids, keys, members, owners, runs and scopes come back as they were given; one that holds a NUL or half a
 * character is a bug. Other texts come back with U+FFFD in those places.
 * Errors: Failure('ledger') where the ledger is damaged; Failure('unwritable-path') where its disk fails (full,
 * read-only, an I/O error); Failure('locked') where other processes kept it busy for too long. Then nothing of that
 * change happened.
 */
export interface Ledger {
  readonly identity: LedgerIdentity;
  /**
   * Reads, decides and writes in one transaction. `scopes` names every budget that the step may ask for or reserve in;
   * `by` is the run or person that changes it.
   */
  change<Kept>(
    rewardId: string,
    step: Step<Kept>,
    options: { readonly by: string; readonly scopes?: readonly string[] },
  ): Promise<Stepped<Kept>>;
  find(rewardId: string): Promise<LedgerEntry | undefined>;
  /**
   * A reward that was paid before this one, and with the same receipt; undefined if there is none, or if the receipt of
   * this one is by a person.
   */
  findSameReceipt(entry: Pick<LedgerEntry, 'rewardId' | 'ref'>): Promise<string | undefined>;
  /**
   * In the order of reward ids (`claimedBy`: of claims), a page at a time. A page is read when it is asked for, and
   * shows changes made until then.
   */
  entries(filter?: EntryFilter): AsyncIterable<readonly LedgerEntry[]>;
  /** The history of one reward, or of all, in order, a page at a time. */
  events(rewardId?: string): AsyncIterable<readonly LedgerEvent[]>;
  /** The events of payments that the payer took back, in order, a page at a time. */
  reversals(): AsyncIterable<readonly LedgerEvent[]>;
  /** The number of the last event; 0 for none. */
  lastSeq(): Promise<number>;
  lastEvent(): Promise<EventMark>;
  /** When it was recorded; null for a ledger without events. */
  lastEventAtMs(): Promise<number | null>;
  /** Whether this very event is in the ledger. */
  hasEvent(mark: EventMark): Promise<boolean>;
  /**
   * Proves that this ledger is the one in use, with everything committed so far: its high-water mark, kept outside of
   * it, names an event that it has, and moves on. Called after each claim and before the call to the payer.
   * @throws Failure('ledger') where another copy went on instead, or replaced it: then this one must not pay.
   */
  fence(): Promise<void>;
  /** What it says of itself at this moment. */
  meta(): Promise<LedgerMeta>;
  readonly custody: LedgerCustody;
  /** What was planned beforehand, and is carried out once. */
  readonly plans: LedgerPlans;
  sums(): Promise<readonly StateSum[]>;
  /** The budgets whose scope begins with `prefix`. */
  budgets(prefix: string): Promise<readonly Budget[]>;
  /** Puts a run on record before it does anything; a second one of its name is a bug. */
  beginRun(start: RunStart): Promise<void>;
  /** Notes that a run on record has ended well. */
  noteSuccess(run: string, atMs: number): Promise<void>;
  /** The last `limit` runs on record, the newest first. */
  runs(limit: number): Promise<readonly RunRecord[]>;
  /** The last run of a command that ended well. */
  lastSuccess(command: string): Promise<RunRecord | undefined>;
  /** No process claims a payment from the moment this resolves until `unfreeze` does. */
  freeze(reason: string): Promise<void>;
  /** Also ends an import and a restoration: what was noted of them is gone. */
  unfreeze(): Promise<void>;
  addAccount(account: string): Promise<void>;
  /**
   * Every problem of the ledger, in words for a person; empty where it is intact. Checks the file, gaps in the events,
   * entries that do not follow from their events, budgets that are not the sum of the events, plans that changed after
   * they were written, and payments by plans that are not on record. `onChecked` is given how many events have been
   * checked; what it throws ends the check.
   */
  verify(onChecked?: (events: number) => void): AsyncIterable<string>;
  /** How much room it takes where it is kept. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}
