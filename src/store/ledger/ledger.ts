import type { JsonObject } from '../../base/json.ts';
import type { Money } from '../../base/money.ts';
import type { LastPlace, LedgerCustody, Restoration, UnfinishedImport } from './ledger-custody.ts';
import type { LedgerPlans } from './ledger-plans.ts';
import type { paymentStates, reportStates } from './ledger-states.ts';

/**
 * The state of the payment of a reward. `intended`: no payment is in progress. `paying`: a call to the payer may be in
 * progress. `unknown`: a call may have paid it, and no program can find out. `paid` and `refused` are final.
 */
export type PaymentState = (typeof paymentStates)[number];

/**
 * The state of the report to the service: not sent, sent without proof, confirmed by the service, or in conflict with
 * its records.
 */
export type ReportState = (typeof reportStates)[number];

/** The reward as the service last showed it. */
export interface Observation {
  readonly atMs: number;
  /** The run that saw it. */
  readonly run: string;
  /** RewardRequestStatus, or any other text of the service; empty if it sent none. */
  readonly status: string;
  /** Null if the reward has no exact amount. */
  readonly amount: Money | null;
  /** Null for a guest order. */
  readonly memberOriginId: string | null;
  /** The JSON text of the Reward as the service sent it; a JSON list if one list showed it with different terms. */
  readonly document: string;
}

/** The payment that a key identifies. It never changes under the same key, from the first call on. */
export interface Terms {
  readonly key: string;
  readonly amount: Money;
  readonly memberOriginId: string;
  /** The JSON text of the Reward that the payer gets, identical in every call. */
  readonly document: string;
}

/** A call to the payer that may be in progress. */
export interface Call {
  /** The process that makes the call, or the batch of a results file. */
  readonly owner: string;
  /** The call has ended by then; null for a batch, which a person pays. */
  readonly leaseUntilMs: number | null;
}

/** One reward in the ledger. */
export interface LedgerEntry {
  readonly rewardId: string;
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly seen: Observation;
  /** Number of earlier keys whose payment was proven not to have happened. */
  readonly keyGeneration: number;
  /** Null before the first call. */
  readonly terms: Terms | null;
  /** The payer of the last call. */
  readonly payer: string | null;
  /** Number of calls begun so far, under all keys. */
  readonly attempt: number;
  /**
   * When the first call under the current key was claimed. The payer cannot have known the key before. Reset with the
   * key.
   */
  readonly firstCallAtMs: number | null;
  /**
   * The latest time at which a call that may have paid can have been sent. A repeated call that provably paid nothing
   * does not change it. If no call is in doubt, the time of the last claim, or of the last event before it.
   */
  readonly lastCallAtMs: number | null;
  /** True if an earlier call under the current key may have paid, or may still pay. */
  readonly isInDoubt: boolean;
  /**
   * Set while `paying`. While `unknown`, the call of a dead process whose payer may still act until the lease ends;
   * null if no payer may.
   */
  readonly call: Call | null;
  /** The budgets in which its amount is reserved or spent. */
  readonly scopes: readonly string[];
  /** The payer's receipt. */
  readonly ref: string | null;
  /** Why it is refused, unknown, in conflict or released; null without a reason. */
  readonly reason: string | null;
}

/** Reserved and spent amounts of one scope (a run, a Korean day, a member on a day). */
export interface Budget {
  readonly scope: string;
  readonly reservedAmount: Money;
  readonly reservedCount: number;
  readonly spentAmount: Money;
  readonly spentCount: number;
}

/** Limits of one scope; null for no limit. */
export interface Cap {
  readonly scope: string;
  readonly amount: Money | null;
  readonly count: number | null;
}

/** The kind of an event. The source of the evidence for an outcome does not change its kind. */
export type EventKind =
  | 'seen'
  | 'claimed'
  | 'paid'
  | 'refused'
  | 'released'
  | 'unknown'
  /** The report state is in `report`. */
  | 'reported'
  /** The payer took the payment back. The reward stays decided. */
  | 'reversed';

/** The decision of a step: change the entry, or leave it. */
export type Decision<Kept> =
  | {
      readonly kind: 'change';
      readonly entry: LedgerEntry;
      /** Left out for a new observation, which changes neither `payment` nor `report`. */
      readonly event?: { readonly kind: EventKind; readonly detail: JsonObject };
      /** For a claim: the budgets to reserve in. They are new to the entry and are added to its scopes. */
      readonly reserve?: readonly Cap[];
    }
  | { readonly kind: 'no-change'; readonly reason: Kept };

/** The facts for a decision, all read at one instant. */
export interface Facts {
  /** Undefined if the ledger does not know the reward. */
  readonly entry: LedgerEntry | undefined;
  readonly nowMs: number;
  /** Why the ledger is frozen; undefined if it is not. */
  readonly frozen: string | undefined;
  /** The budget of a scope named in `scopes`; zero if it was never used. */
  budget(scope: string): Budget;
  /** When the last event of the reward was recorded; undefined if it has none. */
  lastEventAtMs(): number | undefined;
}

/** A pure function of `facts`. It may run several times for one change. */
export type Step<Kept> = (facts: Facts) => Decision<Kept>;

/**
 * The result of a step. `changed`: the new entry, with its event, or the last event of the ledger if it has none.
 * `kept`: why the entry was left unchanged.
 */
export type Stepped<Kept> =
  | ({ readonly kind: 'changed'; readonly entry: LedgerEntry } & EventMark)
  | { readonly kind: 'kept'; readonly entry: LedgerEntry | undefined; readonly reason: Kept };

/** One event in the history of the ledger. `seq` starts at 1 and has no gaps, across all rewards. */
export interface LedgerEvent {
  readonly seq: number;
  readonly atMs: number;
  readonly rewardId: string;
  readonly kind: EventKind;
  /** The run or the person that did it. */
  readonly by: string;
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly attempt: number;
  readonly detail: JsonObject;
}

/** The owner of a ledger, fixed at creation. */
export interface LedgerIdentity {
  /** Random, so that a new ledger differs from the one it replaces. */
  readonly ledgerId: string;
  /** The address of the service and its name of the shop. Keys are derived from both and the reward's id. */
  readonly origin: string;
  readonly shop: string;
  readonly createdAtMs: number;
}

/** The ledger's record about itself, read and written as a whole and sealed like a row. */
export interface LedgerMeta extends LedgerIdentity {
  /** Fingerprints of credentials known to belong to its shop, sorted. */
  readonly accounts: readonly string[];
  /** Further addresses of its service, sorted, besides the one that keys are derived from. */
  readonly otherOrigins: readonly string[];
  /** The place of its last use; null for a copy that has not been used. */
  readonly place: LastPlace | null;
  /** Grows each time a person accepts it. A mark of an earlier epoch says nothing about this one. */
  readonly epoch: number;
  /** A new id each time a person accepts it as the one in use; null if nobody has. */
  readonly acceptance: string | null;
  /** Why it is frozen; null if it is not. */
  readonly frozen: string | null;
  /** The list of an import that has not ended. */
  readonly unfinishedImport: UnfinishedImport['list'] | null;
  /** Null unless it was restored and has not been unfrozen since. */
  readonly restoration: Restoration | null;
  /** The database that it is moving to or has moved to. Nothing more is recorded here. */
  readonly movedTo?: string | undefined;
}

/** One event: its number and a hash of its content. Copies that diverged share no later event. */
export interface EventMark {
  /** 0 for a ledger without events. */
  readonly seq: number;
  readonly seal: string;
}

/**
 * Number of rewards in one state, and the sum of their amounts by their terms, or by the last observation if they have
 * no terms.
 */
export interface StateSum {
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly count: number;
  readonly amount: Money;
}

/** Selects entries. */
export interface EntryFilter {
  readonly payment?: readonly PaymentState[];
  readonly report?: readonly ReportState[];
  /** Entries last seen by this run. */
  readonly seenByRun?: string;
}

/** Selects entries of which this owner claimed a call, in the order of its claims. */
export interface ClaimFilter {
  readonly claimedBy: string;
}

export interface RunStart {
  readonly run: string;
  readonly command: string;
  readonly atMs: number;
}

/** A recorded run; `succeededAtMs` is null unless it ended successfully. */
export interface RunRecord extends RunStart {
  readonly succeededAtMs: number | null;
}

/**
 * The facts about rewards that must survive a crash. All processes that settle rewards share them.
 * Durability: once a promise of any method resolves, what it wrote or read survives the end of the process and a loss
 * of power. A failed write to the disk is thrown and never retried. The entry then has its old or its new state, and
 * the process must end.
 * Concurrency: any number of processes may use one ledger. Every change is atomic with its event and its posting, and
 * the steps of one reward run one after the other. Concurrent steps may share a commit, and commits may share an fsync.
 * Integrity: the ledger refuses, as a bug, a change that breaks `reserved + spent <= cap`, makes an invalid transition
 * of `payment` or `report`, changes terms under the same key, or changes a state without an event. It refuses, as
 * damage, a change with an event if the entry differs from the state after its last event: someone put back an older
 * row, and the reward may be paid. A change to `paid` is exempt from this.
 * Copies: a claim is valid only once `fence` has resolved after it. Of several copies of one ledger, only one passes
 * its fence.
 * Names: ids, keys, members, owners, runs and scopes are read back unchanged; a NUL or a lone surrogate in one is a
 * bug. In other texts these become U+FFFD.
 * Errors: Failure('ledger') if the ledger is damaged; Failure('unwritable-path') if its disk fails (full, read-only, an
 * I/O error); Failure('locked') if other processes kept it busy for too long, and nothing of the change happened.
 */
export interface Ledger {
  readonly identity: LedgerIdentity;
  /**
   * Reads, decides and writes in one transaction. `scopes` names every budget that the step may read or reserve in;
   * `by` is the run or person that makes the change.
   */
  change<Kept>(
    rewardId: string,
    step: Step<Kept>,
    options: { readonly by: string; readonly scopes?: readonly string[] },
  ): Promise<Stepped<Kept>>;
  find(rewardId: string): Promise<LedgerEntry | undefined>;
  /**
   * Finds a reward that was paid earlier with the same receipt. Undefined if there is none, or if a person gave the
   * receipt of this entry.
   */
  findSameReceipt(entry: Pick<LedgerEntry, 'rewardId' | 'ref'>): Promise<string | undefined>;
  /**
   * Pages of entries in the order of reward ids, or of claims with `claimedBy`. Each page is read on demand and
   * includes the changes made until then.
   */
  entries(filter?: EntryFilter | ClaimFilter): AsyncIterable<readonly LedgerEntry[]>;
  /** Pages of the events of one reward, or of all, in order. */
  events(rewardId?: string): AsyncIterable<readonly LedgerEvent[]>;
  /** Pages of the events of payments that the payer took back, in order. */
  reversals(): AsyncIterable<readonly LedgerEvent[]>;
  /** The number of the last event; 0 if there are none. */
  lastSeq(): Promise<number>;
  lastEvent(): Promise<EventMark>;
  /** When the last event was recorded; null if there are none. */
  lastEventAtMs(): Promise<number | null>;
  /** True if the ledger has exactly this event. */
  hasEvent(mark: EventMark): Promise<boolean>;
  /**
   * Proves that this ledger, with everything committed so far, is the one in use: it has the event of its high-water
   * mark, which is kept outside. Advances the mark. Call it after each claim and before the call to the payer.
   * @throws Failure('ledger') if another copy was used meanwhile, or replaced it. This one must not pay.
   */
  fence(): Promise<void>;
  /** Reads the current meta. */
  meta(): Promise<LedgerMeta>;
  readonly custody: LedgerCustody;
  /** Plans of payments, each carried out once. */
  readonly plans: LedgerPlans;
  sums(): Promise<readonly StateSum[]>;
  /** The budgets of the scopes that begin with `prefix`. */
  budgets(prefix: string): Promise<readonly Budget[]>;
  /** Records a run before it does anything. A second run of the same name is a bug. */
  beginRun(start: RunStart): Promise<void>;
  /** Records that a run ended successfully. */
  noteSuccess(run: string, atMs: number): Promise<void>;
  /** The last run of a command, or the last one that ended successfully. */
  lastRun(command: string, which: 'any' | 'successful'): Promise<RunRecord | undefined>;
  /** Once this resolves, no process claims a payment until `unfreeze` does. */
  freeze(reason: string): Promise<void>;
  /** Also ends an import and a restoration, and deletes their records. */
  unfreeze(): Promise<void>;
  addAccount(account: string): Promise<void>;
  /**
   * Describes every problem of the ledger to a person; yields nothing if it is intact. Checks the file, gaps in the
   * events, entries that do not follow from their events, budgets that differ from the sum of the events, plans that
   * were changed, and payments by plans that are not recorded. `onChecked` gets the number of events checked so far; an
   * error it throws ends the check.
   */
  verify(onChecked?: (events: number) => void): AsyncIterable<string>;
  close(): Promise<void>;
}
