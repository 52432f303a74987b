import type { Budget, Cap, LedgerEntry } from './ledger.ts';
import { freed, type Posting, reserved, spent, untouched } from './ledger-invariants.ts';
import type { CappedBudget, Posted } from './ledger-rows.ts';

/** The budgets of one transaction: each is written once, however many changes post to it. */
export class CappedBudgets {
  readonly #known: Map<string, CappedBudget>;
  readonly #changed = new Set<string>();

  /** `known` are those that somebody has reserved in. */
  constructor(known: readonly CappedBudget[]) {
    this.#known = new Map(known.map((one) => [one.budget.scope, one]));
  }

  find(scope: string): Budget {
    return this.#find(scope).budget;
  }

  /**
   * Moves the money of a change, into `reserve` if it reserves; returns what was moved, and in which scopes.
   * @throws Error where a budget refuses it; then none was changed.
   */
  post(
    kind: Posting,
    reserve: readonly Cap[],
    { before, after }: { readonly before: LedgerEntry | undefined; readonly after: LedgerEntry },
  ): Posted {
    if (kind === 'reserve') {
      const amount = after.terms?.amount ?? 0n;
      this.#put(reserve.map((cap) => ({ budget: reserved(this.find(cap.scope), amount, cap), cap })));
      return { kind, amount, scopes: reserve.map(({ scope }) => scope) };
    }
    const amount = before?.terms?.amount ?? 0n;
    const scopes = before?.scopes ?? [];
    const move = kind === 'spend' ? spent : freed;
    this.#put(
      scopes.map((scope) => {
        const { budget, cap } = this.#find(scope);
        return { budget: move(budget, amount), cap };
      }),
    );
    return { kind, amount, scopes };
  }

  changed(): CappedBudget[] {
    return [...this.#changed].map((scope) => this.#find(scope));
  }

  #find(scope: string): CappedBudget {
    return this.#known.get(scope) ?? { budget: untouched(scope), cap: { amount: null, count: null } };
  }

  #put(budgets: readonly CappedBudget[]): void {
    for (const each of budgets) {
      this.#known.set(each.budget.scope, each);
      this.#changed.add(each.budget.scope);
    }
  }
}
