import type { Budget, LedgerEntry, Posting } from './ledger.ts';
import { freed, reserved, spent } from './ledger-invariants.ts';
import type { Posted, readBudget } from './ledger-rows.ts';

/** A budget with the cap that was last reserved under. */
export type CappedBudget = ReturnType<typeof readBudget>;

/**
 * The budgets of one transaction: each is read once, however many changes post to it, and written once, at its end.
 */
export class CappedBudgets {
  readonly #read: (scope: string) => CappedBudget;
  readonly #known = new Map<string, CappedBudget>();
  readonly #changed = new Set<string>();

  constructor(read: (scope: string) => CappedBudget) {
    this.#read = read;
  }

  find(scope: string): Budget {
    return this.#find(scope).budget;
  }

  /**
   * Moves the money of a change; returns what was moved, and in which scopes.
   * @throws Error where a budget refuses it; then none was changed.
   */
  post(posting: Posting, before: LedgerEntry | undefined, after: LedgerEntry): Posted {
    if (posting.kind === 'reserve') {
      const amount = after.terms?.amount ?? 0n;
      this.#put(posting.caps.map((cap) => ({ budget: reserved(this.find(cap.scope), amount, cap), cap })));
      return { kind: posting.kind, amount, scopes: posting.caps.map(({ scope }) => scope) };
    }
    const amount = before?.terms?.amount ?? 0n;
    const scopes = before?.scopes ?? [];
    const move = posting.kind === 'spend' ? spent : freed;
    this.#put(
      scopes.map((scope) => {
        const { budget, cap } = this.#find(scope);
        return { budget: move(budget, amount), cap };
      }),
    );
    return { kind: posting.kind, amount, scopes };
  }

  changed(): CappedBudget[] {
    return [...this.#changed].map((scope) => this.#find(scope));
  }

  #find(scope: string): CappedBudget {
    const found = this.#known.get(scope) ?? this.#read(scope);
    this.#known.set(scope, found);
    return found;
  }

  #put(budgets: readonly CappedBudget[]): void {
    for (const each of budgets) {
      this.#known.set(each.budget.scope, each);
      this.#changed.add(each.budget.scope);
    }
  }
}
