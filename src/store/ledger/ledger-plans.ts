/** A plan of payments, as far as a ledger executed it. */
export interface PlanRecord {
  /** The id of the plan. */
  readonly plan: string;
  /** The hash of its file. Another file with the same id is another plan. */
  readonly sha256: string;
  /** The run that began it. */
  readonly run: string;
  readonly beganAtMs: number;
  /** When nothing of it remained to be paid; null before. */
  readonly endedAtMs: number | null;
}

/**
 * The plans that a ledger executed, so that each is executed once. Plans are never deleted. Writes are durable when
 * they resolve, as in the ledger.
 */
export interface LedgerPlans {
  /** Undefined if it was never begun. */
  find(plan: string): Promise<PlanRecord | undefined>;
  /** Records a plan before its first payment and returns it. If already recorded, returns it unchanged. */
  begin(start: Omit<PlanRecord, 'endedAtMs'>): Promise<PlanRecord>;
  /** Records that no run may execute the plan any more. It is a bug if it was never begun or has ended. */
  end(plan: string, atMs: number): Promise<void>;
}
