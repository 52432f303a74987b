import type { JobState } from '../../contract/states.ts';
import type { RunLog } from '../runs/run-log.ts';

/**
 * The kinds of records whose creation is journaled because the service offers no way to look them up, or none to rely
 * on. An `order` is journaled beside its items, in the request that creates it whole. A `product` can be looked up, but
 * a list may show it late: the journal knows its creation, and in place of a hash of its content that of the image the
 * service took, which it may show otherwise; of an `order-item-update`, by the service's id of the item, the update it
 * took last.
 */
export type JournaledKind = 'category' | 'order-item' | 'order' | 'product' | 'order-item-update';

/** A record about to be sent: its key, and a hash of what is sent of it. */
export interface JournalEntry {
  readonly originId: string;
  readonly contentHash: string;
  /** Where it is not the kind of the request: the order that carries the items. */
  readonly kind?: JournaledKind;
  /** The product of an order item, which a later change of the item has to name. */
  readonly productOriginId?: string | undefined;
  /** The order of an order item, which distinguishes it from one of another order. */
  readonly orderOriginId?: string | undefined;
}

/**
 * What became of a record. `accepted`: the service answered that it took it. `unknown`: it was sent and the answer was
 * lost, or this machine stopped before it came, or its job does not show whether it was made; only a person, or a look
 * at the service, can show which.
 */
export interface KnownRecord {
  readonly fate: 'accepted' | 'unknown';
  readonly contentHash: string;
  /** The job the service named for an accepted record; none where the record was made at once. */
  readonly jobId: string | undefined;
  /**
   * How that job ended, once it was followed to its end; none of an unknown record. A failed one made nothing; a record
   * that was made before is known by the job that made it.
   */
  readonly jobState?: Exclude<JobState, 'pending' | 'unknown'>;
  /** The service's id of what was made, once known. */
  readonly objectId?: string | undefined;
  /** The product of an order item, as it was sent. */
  readonly productOriginId?: string | undefined;
  /** The order of an order item. */
  readonly orderOriginId?: string | undefined;
}

/** A record the service took, with what it said of it. */
export interface Acceptance {
  readonly entry: JournalEntry;
  readonly jobId?: string;
  readonly objectId?: string | undefined;
}

/** Names one request between `begin` and `end`. */
export type RequestId = number;

/** What became of a request. Entries are named as they were begun; those in neither list provably had no effect. */
export interface NamedEnd {
  readonly accepted?: readonly Acceptance[];
  readonly unknown?: readonly JournalEntry[];
}

/** The end of a request whose entries were all taken: the job of each, in the order in which they were begun. */
export interface TakenEnd {
  readonly jobIds: readonly string[];
}

export type RequestEnd = NamedEnd | TakenEnd;

/** How the job of an accepted record ended. */
export interface JobEnd {
  readonly originId: string;
  readonly jobId: string;
  readonly state: Exclude<JobState, 'pending'>;
  /** The service's id of what was made for this record. */
  readonly objectId?: string;
  readonly failureReason?: string;
}

/** A job the service named, and what was last heard of it. */
export interface JournaledJob {
  readonly jobId: string;
  readonly state: JobState;
  readonly kind: JournaledKind;
  readonly originId: string;
  readonly objectId: string | null;
  readonly failureReason: string | null;
  /** The run that sent the record; none outside of a run. */
  readonly run: string | null;
}

/** What a person found out about unknown records. */
export type Resolution = 'sent' | 'not-sent';

/**
 * What must be known of pushed records after a crash. When the promise of a method that writes resolves, its write
 * survives the end of this process at any instant. A request that was begun and never ended was under way when its
 * process died, or when the power failed, and `recover` counts its records as unknown. In a file, the answer to a
 * request, but not that it was begun, may be lost with the power; after `close` it is not. In PostgreSQL it survives a
 * crash of the server. One writer per kind and shard at a time: the caller holds that run lock, and the records of
 * shards are other ones. Every method throws a Failure where the store fails (a full disk, a server that is gone); all
 * before it is kept, and of that write nothing happened, or all of it where the answer of a server was lost.
 */
export interface PushJournal {
  /** What is known of each of `originIds`; records never sent are absent. */
  known(kind: JournaledKind, originIds: readonly string[]): Promise<ReadonlyMap<string, KnownRecord>>;
  /**
   * Looks up in what is on record now; what is put there later may be missing. A push asks once about each of its
   * records, and does not read again what it wrote itself.
   */
  knownBefore(): Promise<Pick<PushJournal, 'known' | 'itemsOf'>>;
  /**
   * The items of each of these orders that were sent, but for those whose jobs failed: their originIds, each with the
   * product it was sent for. An order without any is absent.
   */
  itemsOf(
    orderOriginIds: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string | undefined>>>;
  /**
   * Before a request leaves; `run` is the run that sends it. It then also survives a loss of power, unless it is of
   * products or of updates of order items, which the service shows.
   * @throws Failure('locked') where another machine took over the lock of that run.
   */
  begin(kind: JournaledKind, entries: readonly JournalEntry[], run?: string): Promise<RequestId>;
  /** After its answer came, or its outcome became unknown, in the process that began it. All or nothing. */
  end(request: RequestId, outcome: RequestEnd): Promise<void>;
  /**
   * Of a request that may be repeated, or was made beside a push, after its answer came, or of what a lookup found at
   * the service. All or nothing, and as durable as the end of a request. Needs no lock.
   */
  record(kind: JournaledKind, accepted: readonly Acceptance[]): Promise<void>;
  /**
   * After jobs were followed to their end; those of records that have another job by now are passed over. The end
   * `unknown` makes the record unknown, and a later end of the same job decides it. `orders` are the ends of orders
   * that went out with these items. All or nothing; needs no lock.
   */
  endJobs(kind: JournaledKind, ends: readonly JobEnd[], orders?: readonly JobEnd[]): Promise<void>;
  /**
   * Ends the requests of dead processes as unknown; returns how many records that were. Where other shards may be under
   * way, those are the requests of the runs that `isEnded` names.
   */
  recover(kind: JournaledKind, isEnded?: (run: string | null) => boolean): Promise<number>;
  /**
   * The jobs of records, of one state and kind where they are given, a page at a time; a page is read when it is asked
   * for. An order is not listed beside its items, which share its job.
   */
  jobs(state?: JobState, kind?: JournaledKind): AsyncIterable<readonly JournaledJob[]>;
  /**
   * The unknown records that `run` left or met, or those of `originIds` among them, orders beside items not listed.
   * What is under way is not among them; see `recover`.
   */
  unresolved(kind: JournaledKind, run: string, originIds?: readonly string[]): Promise<readonly string[]>;
  /**
   * Settles the unknown records that `run` left or met, or those of `originIds` among them: `sent` makes them accepted,
   * `not-sent` forgets them, so that the next push sends them. An order is settled with the last of its items. Returns
   * how many there were, orders beside items not counted.
   */
  resolve(
    kind: JournaledKind,
    run: string,
    finding: Resolution,
    originIds?: readonly string[],
  ): Promise<number>;
  close(): Promise<void>;
}

/** A journal of records with the runs that wrote it. */
export interface RunJournal extends PushJournal {
  readonly runs: RunLog;
}
