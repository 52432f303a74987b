/** The kinds of records whose creation is journaled because the service offers no way to look them up. */
export type JournaledKind = 'category' | 'order-item';

/** A record about to be sent: its key, and a hash of what is sent of it. */
export interface JournalEntry {
  readonly originId: string;
  readonly contentHash: string;
}

/**
 * What became of a record. `accepted`: the service answered that it took it. `unknown`: it was sent and the answer was
 * lost, or this machine stopped before it came; only a person, or a look at the service, can tell.
 */
export interface KnownRecord {
  readonly fate: 'accepted' | 'unknown';
  readonly contentHash: string;
  /** The job the service named for an accepted record; none where the record was made at once. */
  readonly jobId: string | undefined;
}

/** What the service said of an accepted record. */
export interface AcceptedEntry extends JournalEntry {
  readonly jobId?: string;
}

/** Names one request between `begin` and `end`. */
export type RequestId = number;

/** What became of a request; entries named in neither list provably had no effect. */
export interface RequestEnd {
  readonly accepted?: readonly AcceptedEntry[];
  readonly unknown?: readonly JournalEntry[];
}

/**
 * What must be known of pushed records after a crash. When a method that writes returns, or its promise resolves, its
 * write survives the end of this process at any instant. A request that was begun and never ended was under way when its process died, and
 * `recover` counts its records as unknown. One writer per kind at a time: the caller holds the run lock of that kind.
 */
export interface PushJournal {
  /** What is known of each of `originIds`; records never sent are absent. */
  known(kind: JournaledKind, originIds: readonly string[]): ReadonlyMap<string, KnownRecord>;
  /** Before a request leaves. */
  begin(kind: JournaledKind, entries: readonly JournalEntry[]): Promise<RequestId>;
  /** After its answer came, or was lost. All or nothing. */
  end(kind: JournaledKind, request: RequestId, outcome: RequestEnd): Promise<void>;
  /** Ends the requests of dead processes as unknown; returns how many records that were. */
  recover(kind: JournaledKind): number;
  close(): void;
}
