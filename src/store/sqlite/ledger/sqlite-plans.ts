import type { LedgerPlans } from '../../ledger/ledger-plans.ts';
import { type LedgerRow, planValues, readPlan } from '../../ledger/ledger-rows.ts';
import { prepareExactQuery } from '../query.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { insertSql } from './row-sql.ts';

/** The plans that a ledger in SQLite carried out. */
export function createPlans({ database, read, write }: LedgerAccess): LedgerPlans {
  const select = prepareExactQuery<LedgerRow>(database, 'SELECT * FROM plan WHERE plan = ?');
  const insert = database.prepare(insertSql('plan'));
  const update = database.prepare('UPDATE plan SET ended_at_ms = ?, seal = ? WHERE plan = ?');
  const find = (plan: string) => {
    const row = select.get(plan);
    return row && readPlan(row);
  };
  return {
    find: (plan) => read(() => find(plan)),
    begin: (start) =>
      write(() => {
        const known = find(start.plan);
        if (known !== undefined) return known;
        const begun = { ...start, endedAtMs: null };
        insert.run(...planValues(begun));
        return begun;
      }),
    end: (plan, atMs) =>
      write(() => {
        const known = find(plan);
        if (known === undefined || known.endedAtMs !== null) throw new Error(`plan ${plan} is not under way`);
        const values = planValues({ ...known, endedAtMs: atMs });
        update.run(...values.slice(-2), plan);
      }),
  };
}
