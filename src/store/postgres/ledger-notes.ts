import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerPlans } from '../ledger/ledger-plans.ts';
import { type LedgerRow, planValues, readPlan, storable } from '../ledger/ledger-rows.ts';
import { recordInUse } from './in-use.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { createMeta } from './ledger-meta.ts';
import { insertPlanSql } from './row-sql.ts';

type Notes = Pick<Ledger, 'beginRun' | 'freeze' | 'unfreeze' | 'frozen' | 'accounts' | 'addAccount'>;

/** What a ledger in PostgreSQL notes besides its rewards. */
export function createNotes(access: LedgerAccess): Notes {
  const { location, schema, read, write } = access;
  const meta = createMeta(access);
  return {
    beginRun: ({ run, command, atMs }) =>
      write(async (connection) => {
        await connection.query(`INSERT INTO ${schema}.run VALUES ($1, $2, $3)`, [run, command, atMs]);
      }),
    freeze: (reason) => write((connection) => meta.put(connection, { frozen: storable(reason) })),
    unfreeze: () => write((connection) => meta.endFreeze(connection)),
    frozen: async () => (await meta.read()).get('frozen'),
    accounts: async () => {
      const select = `SELECT account FROM ${schema}.account ORDER BY account`;
      return (await read<{ readonly account: string }>(select)).map(({ account }) => account);
    },
    addAccount: (account) =>
      write(async (connection) => {
        const insert = `INSERT INTO ${schema}.account VALUES ($1) ON CONFLICT DO NOTHING`;
        await connection.query(insert, [account]);
        await recordInUse(connection, location.address.schema);
      }),
  };
}

/** The plans that a ledger in PostgreSQL carried out. */
export function createPlans({ schema, read, write }: LedgerAccess): LedgerPlans {
  const select = `SELECT * FROM ${schema}.plan WHERE plan = $1`;
  const known = ([row]: readonly LedgerRow[]) => row && readPlan(row);
  return {
    find: async (plan) => known(await read<LedgerRow>(select, [plan])),
    begin: (start) =>
      write(async (connection) => {
        const found = known(await connection.query<LedgerRow>(select, [start.plan]));
        if (found !== undefined) return found;
        const begun = { ...start, endedAtMs: null };
        await connection.query(insertPlanSql(schema), planValues(begun));
        return begun;
      }),
    end: (plan, atMs) =>
      write(async (connection) => {
        const found = known(await connection.query<LedgerRow>(select, [plan]));
        if (found === undefined || found.endedAtMs !== null) throw new Error(`plan ${plan} is not under way`);
        const values = planValues({ ...found, endedAtMs: atMs });
        const update = `UPDATE ${schema}.plan SET ended_at_ms = $1, seal = $2 WHERE plan = $3`;
        await connection.query(update, [...values.slice(-2), plan]);
      }),
  };
}
