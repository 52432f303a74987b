import type { JobState } from '../../contract/states.ts';
import type { RunLog } from '../runs/run-log.ts';

/**
 * The kinds of records whose creation is journaled because the service offers no lookup, or no reliable one. An `order`
 * is journaled in addition to its items, in the request that creates it whole. A `product` can be looked up, but a list
 * may show it late. For a product the journal hashes the image that the service accepted, which it may show
 * differently, instead of the content. An `order-item-update` is the last accepted update of an item, by the service's
 * id of the item.
 */
export type JournaledKind = 'category' | 'order-item' | 'order' | 'product' | 'order-item-update';

/** A record about to be sent: its key, and a hash of the content sent. */
export interface JournalEntry {
  readonly originId: string;
  readonly contentHash: string;
  /** The kind, if it differs from the request's: the order that carries the items. */
  readonly kind?: JournaledKind;
  /** The product of an order item. Later changes of the item must name it. */
  readonly productOriginId?: string | undefined;
  /** The order of an order item. Items of different orders may share an id. */
  readonly orderOriginId?: string | undefined;
}

/**
 * The outcome of a record. `accepted`: the service answered that it accepted it. `unknown`: it was sent, but the answer
 * was lost, or this machine stopped first, or its job does not show whether it was created. Only a person, or a lookup
 * at the service, can decide that.
 */
export interface KnownRecord {
  readonly fate: 'accepted' | 'unknown';
  readonly contentHash: string;
  /** The job of an accepted record; undefined if the record was created at once. */
  readonly jobId: string | undefined;
  /**
   * The result of that job, once it was followed to its end; left out for an unknown record. A failed job created
   * nothing; a record created earlier keeps the job that created it.
   */
  readonly jobState?: Exclude<JobState, 'pending' | 'unknown'>;
  /** The service's id of the created object, once known. */
  readonly objectId?: string | undefined;
  /** The product of an order item, as sent. */
  readonly productOriginId?: string | undefined;
  /** The order of an order item. */
  readonly orderOriginId?: string | undefined;
}

/** A record that the service accepted, with the ids it returned. */
export interface Acceptance {
  readonly entry: JournalEntry;
  readonly jobId?: string;
  readonly objectId?: string | undefined;
}

/** Identifies one request between `begin` and `end`. */
export type RequestId = number;

/** The outcome of a request. Entries are named as in `begin`; those in neither list provably had no effect. */
export interface NamedEnd {
  readonly accepted?: readonly Acceptance[];
  readonly unknown?: readonly JournalEntry[];
}

/** The outcome of a request whose entries were all accepted: the job of each, in the order of `begin`. */
export interface TakenEnd {
  readonly jobIds: readonly string[];
}

export type RequestEnd = NamedEnd | TakenEnd;

/** The end of the job of an accepted record. */
export interface JobEnd {
  readonly originId: string;
  readonly jobId: string;
  readonly state: Exclude<JobState, 'pending'>;
  /** The service's id of the object created for this record. */
  readonly objectId?: string;
  readonly failureReason?: string;
}

/** A job that the service named, with its last known state. */
export interface JournaledJob {
  readonly jobId: string;
  readonly state: JobState;
  readonly kind: JournaledKind;
  readonly originId: string;
  readonly objectId: string | null;
  readonly failureReason: string | null;
  /** The run that sent the record; null outside a run. */
  readonly run: string | null;
}

/** A person's finding about unknown records. */
export type Resolution = 'sent' | 'not-sent';

/**
 * The facts about pushed records that must survive a crash.
 * Durability: when a method that writes resolves, its write survives the end of this process at any time. A request
 * that was begun but not ended was in progress when its process died or the power failed; `recover` makes its records
 * unknown. In a file, a loss of power may undo the end of a request, but not its beginning; after `close`, it undoes
 * neither. In PostgreSQL, both survive a crash of the server.
 * Concurrency: one writer per kind and shard at a time. The caller holds that run lock, and shards have disjoint
 * records.
 * Errors: every method throws a Failure if the store fails (a full disk, a lost server). Earlier writes are kept. The
 * failed write has no effect; if the answer of a server was lost, it may have its full effect.
 */
export interface PushJournal {
  /** Returns the known facts about each of `originIds`; records never sent are absent. */
  known(kind: JournaledKind, originIds: readonly string[]): Promise<ReadonlyMap<string, KnownRecord>>;
  /**
   * Looks up in a snapshot of the journal; later writes may be missing. A push asks once about each of its records, and
   * does not need to read its own writes.
   */
  knownBefore(): Promise<Pick<PushJournal, 'known' | 'itemsOf'>>;
  /**
   * Returns the sent items of each of these orders, except those whose jobs failed: their originIds, each with the
   * product it was sent for. An order without any is absent.
   */
  itemsOf(
    orderOriginIds: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string | undefined>>>;
  /**
   * Call before a request is sent; `run` is the run that sends it. The beginning also survives a loss of power, except
   * for products and updates of order items, which the service shows.
   * @throws Failure('locked') if another machine took over the lock of that run.
   */
  begin(kind: JournaledKind, entries: readonly JournalEntry[], run?: string): Promise<RequestId>;
  /** Call once the outcome of a request is known or lost, in the process that began it. All or nothing. */
  end(request: RequestId, outcome: RequestEnd): Promise<void>;
  /**
   * Records accepted entries without `begin`: of a request that may be repeated or that was sent outside a push, or
   * found by a lookup at the service. All or nothing, as durable as `end`. Needs no lock.
   */
  record(kind: JournaledKind, accepted: readonly Acceptance[]): Promise<void>;
  /**
   * Call after jobs were followed to their end. Records that have another job by now are skipped. The end `unknown`
   * makes the record unknown, and a later end of the same job decides it. `orders` are the ends of orders sent with
   * these items. All or nothing; needs no lock.
   */
  endJobs(kind: JournaledKind, ends: readonly JobEnd[], orders?: readonly JobEnd[]): Promise<void>;
  /**
   * Ends the requests of dead processes as unknown; returns the number of their records. If other shards may be
   * running, `isEnded` selects the runs whose requests to end.
   */
  recover(kind: JournaledKind, isEnded?: (run: string | null) => boolean): Promise<number>;
  /**
   * Pages of the jobs of records, optionally of one state and kind; each page is read on demand. Orders are not listed,
   * since their items share the job.
   */
  jobs(state?: JobState, kind?: JournaledKind): AsyncIterable<readonly JournaledJob[]>;
  /**
   * The unknown records that `run` left or met, or only those in `originIds`, without orders sent with items. Requests
   * in progress are not included; see `recover`.
   */
  unresolved(kind: JournaledKind, run: string, originIds?: readonly string[]): Promise<readonly string[]>;
  /**
   * Decides the unknown records that `run` left or met, or only those in `originIds`. `sent` makes them accepted;
   * `not-sent` forgets them, so that the next push sends them. An order is decided with the last of its items. Returns
   * the number of records, without orders sent with items.
   */
  resolve(
    kind: JournaledKind,
    run: string,
    finding: Resolution,
    originIds?: readonly string[],
  ): Promise<number>;
  close(): Promise<void>;
}

/** A journal of records and of the runs that wrote it. */
export interface RunJournal extends PushJournal {
  readonly runs: RunLog;
}
