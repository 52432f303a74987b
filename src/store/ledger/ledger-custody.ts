/** The machine and the file of the last use of a ledger. */
export interface LastPlace {
  /** Null if machines cannot be identified. */
  readonly host: string | null;
  /** The inode, with the creation time of the file if known. */
  readonly inode: string;
}

/** A ledger that replaced a newer one, or is a copy that may. It is frozen while this is recorded. */
export interface Restoration {
  /** When the copy was made. For a copy made by other means, when its last event was recorded. */
  readonly atMs: number;
  /** When a person accepted it as the one in use; null before. */
  readonly acceptedAtMs: number | null;
  /** When it was last compared with a statement of the payer; null before. */
  readonly comparedAtMs: number | null;
  /** Number of events known outside of it that it lacks; null if unknown. */
  readonly lostEvents: number | null;
}

/** Rewards paid before a new ledger existed. It imports them before it pays. */
export interface UnfinishedImport {
  /** Identifies the list of these rewards. An interrupted import continues only with the same list. */
  readonly list: string;
  /** Why the ledger is frozen until the import ends. */
  readonly reason: string;
}

/** A payment in a statement that a restored ledger does not record as paid. */
export interface LackingPayment {
  /** Its name in the statement: `key rv1-…`, `reward 4711`, `ref 0815`. */
  readonly name: string;
  readonly line: number;
  /** Null if it matches no reward known to the ledger or the service. */
  readonly rewardId: string | null;
}

/** Records about the ledger as a whole: where it is used, the addresses of its service, and its restoration. */
export interface LedgerCustody {
  notePlace(place: LastPlace): Promise<void>;
  addOrigin(origin: string): Promise<void>;
  /**
   * Freezes it for `reason`, unless it is already frozen. With `comparedAtMs`, the findings of the comparison are kept.
   * `epoch` is set by a person's acceptance, and left out before.
   */
  noteRestored(restoration: Restoration, reason: string, epoch?: number): Promise<void>;
  /** Replaces the findings of the previous statement. */
  noteComparison(atMs: number, lacking: readonly LackingPayment[]): Promise<void>;
  /** The findings of the last statement, including payments recorded since. */
  lacking(): Promise<readonly LackingPayment[]>;
}
