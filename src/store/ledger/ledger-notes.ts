import { randomUUID } from 'node:crypto';
import type { SqlValue, Transaction } from '../sql/sql.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import { type LedgerAccess, lockMeta } from './ledger-access.ts';
import type { LackingPayment } from './ledger-custody.ts';
import { writeMeta } from './ledger-meta.ts';
import type { LedgerPlans } from './ledger-plans.ts';
import { type LedgerRow, planValues, readPlan, storable } from './ledger-rows.ts';
import { insertSql, putSql } from './ledger-tables.ts';

type Notes = Pick<Ledger, 'beginRun' | 'noteSuccess' | 'freeze' | 'unfreeze' | 'addAccount' | 'custody'>;

/** The records of a ledger other than its rewards. `onAccount` runs in the transaction that adds an account. */
export function createNotes(
  { read, write, dialect }: LedgerAccess,
  onAccount: (tx: Transaction, meta: LedgerMeta) => Promise<void> = async () => undefined,
): Notes {
  const change = (next: (meta: LedgerMeta, tx: Transaction) => LedgerMeta | Promise<LedgerMeta>) =>
    write(async (tx) => {
      const changed = await next(await lockMeta(tx, dialect), tx);
      await writeMeta(tx, changed);
    });
  const noteRun = (text: string, row: readonly SqlValue[]) =>
    write(async (tx) => {
      await lockMeta(tx, dialect);
      await tx.many(text, [row]);
    });
  return {
    beginRun: ({ run, command, atMs }) => noteRun(insertSql('run'), [run, command, BigInt(atMs), null]),
    noteSuccess: (run, atMs) =>
      noteRun('UPDATE run SET succeeded_ms = $2 WHERE run = $1', [run, BigInt(atMs)]),
    freeze: (reason) => change((before) => ({ ...before, frozen: storable(reason) })),
    unfreeze: () =>
      change(async (before, tx) => {
        await tx.query(deleteLacking);
        return { ...before, frozen: null, unfinishedImport: null, restoration: null };
      }),
    addAccount: (account) =>
      change(async (before, tx) => {
        const after = { ...before, accounts: withName(before.accounts, account) };
        await onAccount(tx, after);
        return after;
      }),
    custody: {
      notePlace: (place) => change((before) => ({ ...before, place })),
      addOrigin: (origin) =>
        change((before) => ({ ...before, otherOrigins: withName(before.otherOrigins, origin) })),
      noteRestored: (restoration, reason, epoch) =>
        change(async (before, tx) => {
          if (restoration.comparedAtMs === null) await tx.query(deleteLacking);
          return {
            ...before,
            restoration,
            acceptance: restoration.acceptedAtMs === null ? before.acceptance : randomUUID(),
            epoch: epoch ?? before.epoch,
            frozen: before.frozen ?? storable(reason),
          };
        }),
      noteComparison: (comparedAtMs, lacking) =>
        change(async (before, tx) => {
          await tx.query(deleteLacking);
          const rows = lacking.map(({ name, line, rewardId }) => [storable(name), BigInt(line), rewardId]);
          await tx.many(`${insertSql('lacking')} ON CONFLICT DO NOTHING`, rows);
          return { ...before, restoration: before.restoration && { ...before.restoration, comparedAtMs } };
        }),
      lacking: async () => {
        const rows = await read<Omit<LackingPayment, 'line'> & { readonly line: bigint }>(
          'SELECT name, line, reward_id AS "rewardId" FROM lacking ORDER BY line, name',
        );
        return rows.map((row) => ({ ...row, line: Number(row.line) }));
      },
    },
  };
}

export const deleteLacking = 'DELETE FROM lacking';

function withName(names: readonly string[], name: string): readonly string[] {
  return [...new Set([...names, name])].toSorted();
}

/** The plans that a ledger executed. */
export function createPlans({ read, write, dialect }: LedgerAccess): LedgerPlans {
  const select = 'SELECT * FROM plan WHERE plan = $1';
  const known = ([row]: readonly LedgerRow[]) => row && readPlan(row);
  const change = <T>(
    plan: string,
    work: (found: ReturnType<typeof known>, tx: Transaction) => Promise<T>,
  ): Promise<T> =>
    write(async (tx) => {
      await lockMeta(tx, dialect);
      return work(known(await tx.query<LedgerRow>(select, [plan])), tx);
    });
  return {
    find: async (plan) => known(await read<LedgerRow>(select, [plan])),
    begin: (start) =>
      change(start.plan, async (found, tx) => {
        if (found !== undefined) return found;
        const begun = { ...start, endedAtMs: null };
        await tx.many(insertSql('plan'), [planValues(begun)]);
        return begun;
      }),
    end: (plan, atMs) =>
      change(plan, async (found, tx) => {
        if (found === undefined || found.endedAtMs !== null) throw new Error(`plan ${plan} is not under way`);
        await tx.many(putSql('plan'), [planValues({ ...found, endedAtMs: atMs })]);
      }),
  };
}
