import type { JsonObject } from '../../base/json.ts';
import type { Money } from '../../base/money.ts';
import type { LedgerCustody } from './ledger-custody.ts';
import type { LedgerPlans } from './ledger-plans.ts';

/**
 * What happened to the money of a reward. `intended`: nothing that could pay it is under way. `paying`: a call to the payer
 * may be under way. `unknown`: a call may have paid it, and no machine can tell. `paid` and `refused` are final.
 */
export type PaymentState = 'intended' | 'paying' | 'paid' | 'refused' | 'unknown';

/** What the service knows of the outcome: not yet sent, sent without proof, confirmed by the service, or in conflict with what it says. */
export type ReportState = 'pending' | 'sent' | 'confirmed' | 'conflict';

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
  /** The JSON text of the Reward as the service sent it; a JSON list where one list showed it several times, with different terms. */
  readonly document: string;
}

/** What a key of payment stands for, from the first call on: it never changes while the key is the same. */
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
  /** From when on the owner must not begin the call any more; null for a batch, which a person carries out. */
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
  /** Who was called last. */
  readonly payer: string | null;
  /** Calls begun so far, under every key. */
  readonly attempt: number;
  /** When the first call under the current key was claimed: the payer cannot have known it for longer. Kept as long as the key. */
  readonly firstCallAtMs: number | null;
  /** When the last call was claimed; of a lost one, by when it had left if it ever did. */
  readonly lastCallAtMs: number | null;
  /** Whether an earlier call under the current key may have paid, or may still pay. */
  readonly isInDoubt: boolean;
  /** Only while `paying`. */
  readonly call: Call | null;
  /** The budgets that hold the reservation of its amount, or count it as spent. */
  readonly scopes: readonly string[];
  /** The payer's receipt of a payment. */
  readonly ref: string | null;
  /** Why it is refused, unknown, in conflict, or was sent back; null where there is nothing to say. */
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

/** How a change moves money through budgets: the terms' amount, and a count of one. */
export type Posting =
  /** Reserves it in each of these scopes, none of which the entry had; they join those it had. */
  | { readonly kind: 'reserve'; readonly caps: readonly Cap[] }
  /** What the scopes the entry had before the change hold reserved is spent. */
  | { readonly kind: 'spend' }
  /** What the scopes the entry had before the change hold reserved is free again. */
  | { readonly kind: 'release' };

/** What happened, as the events of the ledger name it. */
export type EventKind =
  | 'seen'
  | 'claimed'
  | 'paid'
  | 'refused'
  | 'released'
  | 'outcome-unknown'
  | 'sent'
  | 'confirmed'
  | 'conflict'
  | 'resolved'
  | 'imported';

/** What a step decides: to change the entry, or to leave it. */
export type Decision<Kept> =
  | {
      readonly kind: 'change';
      readonly entry: LedgerEntry;
      /** None for a new sighting alone, which changes neither `payment` nor `report`. */
      readonly event?: { readonly kind: EventKind; readonly detail: JsonObject };
      readonly posting?: Posting;
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
}

/** A pure function: it may be run several times for one change, and must depend on `facts` alone. */
export type Step<Kept> = (facts: Facts) => Decision<Kept>;

/** What came of a step: the entry as it is now, with the last event of the ledger, which is its own if it has one; and why it was left if it was. */
export type Stepped<Kept> =
  | ({ readonly kind: 'changed'; readonly entry: LedgerEntry } & EventMark)
  | { readonly kind: 'kept'; readonly entry: LedgerEntry | undefined; readonly reason: Kept };

/** One line of the ledger's history. `seq` counts from 1 without a gap, over all rewards. */
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
  /** Random, so that a ledger made anew is another one. */
  readonly ledgerId: string;
  /** The address of the service and the name of the shop there: with the reward's id, what keys are made of. */
  readonly origin: string;
  readonly shop: string;
  readonly createdAtMs: number;
}

/** One event, by its number and a hash of all it says: ledgers that went different ways have no later event in common. */
export interface EventMark {
  /** 0 for a ledger without events. */
  readonly seq: number;
  readonly seal: string;
}

/** How many rewards are in one state, and how much that is by their terms (by what was last seen, before there are any). */
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

/**
 * What must be known of rewards after a crash, and must be the same for every process that settles them.
 *
 * Durability: when a promise of any method resolves, what it wrote or found survives the end of the process and a loss of power. A
 * failed write to the disk is thrown and never tried again; the entry is then as it was before or after the change, and the process must end.
 * Concurrency: any number of processes may use one ledger; every change is atomic with its event and its posting, and steps of
 * one reward happen one after the other. Steps asked for at once may share a commit, and commits a wait for the disk.
 * Integrity: the ledger itself refuses (as a bug) a change that breaks `reserved + spent <= cap`, that leads `payment` or `report` along
 * no legal transition, that changes terms under the same key, or that changes a state without an event.
 * Twins: a claim counts only once `fence` has resolved after it. Of copies of one ledger, whoever uses them, one alone gets through.
 * Names: ids, keys, members, owners, runs and scopes come back as they were given; one that holds a NUL or half a character is a bug. Other
 * texts come back with U+FFFD in those places.
 * Errors: Failure('ledger') where the ledger is damaged, Failure('unwritable-path') where its disk fails it (full, read-only, an I/O error),
 * Failure('locked') where others kept it busy for too long: nothing of that change happened then.
 */
export interface Ledger {
  readonly identity: LedgerIdentity;
  /** Reads, decides and writes in one transaction. `scopes` names every budget the step may ask for or reserve in; `by` who does it. */
  change<Kept>(
    rewardId: string,
    step: Step<Kept>,
    options: { readonly by: string; readonly scopes?: readonly string[] },
  ): Promise<Stepped<Kept>>;
  find(rewardId: string): Promise<LedgerEntry | undefined>;
  /** In the order of reward ids (`claimedBy`: of claims), a page at a time; a page is read when it is asked for. Sees changes made meanwhile behind the page. */
  entries(filter?: EntryFilter): AsyncIterable<readonly LedgerEntry[]>;
  /** The history of one reward, or of all, in order, a page at a time. */
  events(rewardId?: string): AsyncIterable<readonly LedgerEvent[]>;
  /** The number of the last event; 0 for none. */
  lastSeq(): Promise<number>;
  lastEvent(): Promise<EventMark>;
  /** Whether this very event is in the ledger. */
  hasEvent(mark: EventMark): Promise<boolean>;
  /**
   * Proves that this ledger is the one in use, with everything committed so far: its high-water mark, kept outside of it, names an event it
   * has, and moves on. Asked after each claim and before the call it is for.
   * @throws Failure('ledger') where another copy went on instead, or took its place: then nothing may be paid by this one.
   */
  fence(): Promise<void>;
  /** Where it is used, and what is known of it as a whole. */
  readonly custody: LedgerCustody;
  /** What was planned beforehand, and is carried out once. */
  readonly plans: LedgerPlans;
  sums(): Promise<readonly StateSum[]>;
  /** The budgets whose scope begins with `prefix`. */
  budgets(prefix: string): Promise<readonly Budget[]>;
  /** Puts a run on record before it does anything; a second one of its name is a bug. */
  beginRun(start: RunStart): Promise<void>;
  /** The last `limit` runs on record, the newest first. */
  runs(limit: number): Promise<readonly RunStart[]>;
  /** No process claims a payment from the moment this resolves until `unfreeze` does. */
  freeze(reason: string): Promise<void>;
  /** Also ends an import and a restoration: what was noted of them is gone. */
  unfreeze(): Promise<void>;
  frozen(): Promise<string | undefined>;
  /** The accounts (fingerprints of credentials) known to belong to this shop. */
  accounts(): Promise<readonly string[]>;
  addAccount(account: string): Promise<void>;
  /**
   * Everything that is wrong with the ledger in itself, in words for a person; empty where nothing is: the file, gaps in the events, entries that
   * their events do not lead to, budgets that the events do not add up to, plans that
   * are not as they were written, or not on record although payments were made by them.
   */
  verify(): AsyncIterable<string>;
  close(): Promise<void>;
}
