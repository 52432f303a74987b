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

/** What a ledger records about itself: where it is used, the addresses of its service, and whether it was restored. */
export interface LedgerCustody {
  /** Undefined for a ledger that was not used since it was copied, or since versions that did not note it. */
  placeUsed(): Promise<PlaceUsed | undefined>;
  notePlace(place: PlaceUsed): Promise<void>;
  /** Further addresses of its service, besides the one that keys are made of. */
  otherOrigins(): Promise<readonly string[]>;
  addOrigin(origin: string): Promise<void>;
  /** The list whose import has not ended; undefined where none is under way. */
  unfinishedImport(): Promise<UnfinishedImport['list'] | undefined>;
  /** Undefined unless it was restored and not unfrozen since. */
  restoration(): Promise<Restoration | undefined>;
  /** A new id for each time that a person accepts it as the one in use; null for one that was never accepted. */
  acceptance(): Promise<string | null>;
  /** Grows each time that a person accepts it; a mark of an earlier epoch says nothing about a ledger of this one. */
  epoch(): Promise<number>;
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
