/** A plan of payments as far as a ledger carried it out. */
export interface PlanRecord {
  /** The id of the plan. */
  readonly plan: string;
  /** The hash of its file: another file of the same id is another plan. */
  readonly sha256: string;
  /** The run that began it, and when. */
  readonly run: string;
  readonly beganAtMs: number;
  /** From when on nothing of it remained to be paid; null before. */
  readonly endedAtMs: number | null;
}

/**
 * The plans that a ledger carried out, so that each is carried out once. Plans are never deleted. Writes are durable
 * when they resolve, like those of the ledger.
 */
export interface LedgerPlans {
  /** Undefined for one that was never begun. */
  find(plan: string): Promise<PlanRecord | undefined>;
  /**
   * Records a plan before its first payment. A plan that is already on record stays as it is; this resolves with it.
   */
  begin(start: Omit<PlanRecord, 'endedAtMs'>): Promise<PlanRecord>;
  /** Notes that no run is to carry it out any more; of one that was never begun, or has ended, that is a bug. */
  end(plan: string, atMs: number): Promise<void>;
}
