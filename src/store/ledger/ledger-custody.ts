/** The file and the machine a ledger was last used as. */
export interface PlaceUsed {
  /** Null where machines cannot be identified. */
  readonly host: string | null;
  /** With the time when the file was made, where that is known. */
  readonly inode: string;
}

/** A ledger that replaced a newer one, or is a copy that may: it is frozen for as long as this is on record. */
export interface Restoration {
  /** When the copy was made; of one that was made by other means, when its last event was recorded. */
  readonly atMs: number;
  /** When a person said that it is the one in use; null before. */
  readonly acceptedAtMs: number | null;
  /** When it was last compared with a statement of the payer; null before. */
  readonly comparedAtMs: number | null;
  /** How many events are known outside of it that it lacks; null if nobody knows how many. */
  readonly lostEvents: number | null;
}

/** Rewards that were paid before there was a ledger, and that a new one imports before it pays any. */
export interface UnfinishedImport {
  /** Identifies the list of these rewards: an interrupted import continues with the same list only. */
  readonly list: string;
  /** Why the ledger is frozen until the import ends. */
  readonly reason: string;
}

/** A payment that a statement names and a restored ledger does not have as paid. */
export interface LackingPayment {
  /** How the statement names it: `key rv1-…`, `reward 4711`, `ref 0815`. */
  readonly name: string;
  readonly line: number;
  /** Null where it belongs to no reward that ledger or service know. */
  readonly rewardId: string | null;
}

/** What is noted of a ledger as a whole: where it is used, the addresses of its service, and how it was restored. */
export interface LedgerCustody {
  notePlace(place: PlaceUsed): Promise<void>;
  addOrigin(origin: string): Promise<void>;
  /**
   * Freezes it for `reason`, unless it is frozen already. What a comparison found stays on record with `comparedAtMs`.
   * `epoch` begins with the acceptance of a person, and is left out before.
   */
  noteRestored(restoration: Restoration, reason: string, epoch?: number): Promise<void>;
  /** Puts what a statement shows in the place of what an earlier one showed. */
  noteComparison(atMs: number, lacking: readonly LackingPayment[]): Promise<void>;
  /** What the last statement showed, whether or not it was noted as paid since. */
  lacking(): Promise<readonly LackingPayment[]>;
}
