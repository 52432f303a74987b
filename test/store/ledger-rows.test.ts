import { describe, expect, it, test } from 'vitest';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import {
  budgetValues,
  type Column,
  entryValues,
  eventValues,
  isSealed,
  type LedgerRow,
  type LedgerTable,
  planValues,
  readBudget,
  readEntry,
  readEvent,
  readPlan,
  readRow,
  readSummary,
  sealedColumns,
  storable,
} from '../../src/store/ledger/ledger-rows.ts';
import { nowMs, paid, paying, refused, seen, unknown } from '../settle/entries.ts';

/** A row as read from a database. */
function rowOf(table: LedgerTable, values: readonly Column[]): LedgerRow {
  expect(values).toHaveLength(Object.keys(sealedColumns[table]).length + 1);
  expect(values).not.toContain(undefined);
  return Object.fromEntries(
    [...Object.keys(sealedColumns[table]), 'seal'].map((name, index) => [name, values[index] ?? null]),
  );
}

const posted = { kind: 'reserve', amount: 5_000_000n, scopes: ['day 2026-01-01'] } as const;
const claimed = (entry: LedgerEntry) =>
  eventValues(entry, { kind: 'claimed', detail: { a: 1 } }, { seq: 2, atMs: nowMs, by: 'run', posted });
const budget = {
  scope: 'day',
  reservedAmount: 1n,
  reservedCount: 2,
  spentAmount: 3n,
  spentCount: 4,
};
const plan = { plan: 'plan-1', sha256: 'a', run: 'run', beganAtMs: 1, endedAtMs: null };
const capped = { amount: 7n, count: 8 };

describe('what is written to a row is read back from it', () => {
  const guest = { ...seen, seen: { ...seen.seen, amount: null, memberOriginId: null } };
  const asked = { ...paid, ref: 'T', reason: 'late', lastCallAtMs: 5, payer: 'exec pay' };

  it.each([
    ['seen', seen],
    ['seen of a guest', guest],
    ['paying', paying],
    ['paying without an end of its lease', { ...paying, call: { owner: 'run', leaseUntilMs: null } }],
    ['unknown', unknown],
    ['in doubt', { ...unknown, isInDoubt: true }],
    ['paid', paid],
    ['paid, with all that is known', asked],
    ['refused', refused],
  ])('an entry that is %s', (_, entry) => {
    expect(readEntry(rowOf('reward', entryValues(entry)))).toEqual(entry);
  });

  test('what the payer is shown, kept once until the service shows something else', () => {
    const { document = '' } = paying.terms ?? {};
    const shown = (text: string): LedgerEntry => ({ ...paying, seen: { ...paying.seen, document: text } });
    const same = rowOf('reward', entryValues(shown(document)));
    expect(same).toMatchObject({ seen_document: document, document: null });
    expect(readEntry(same)).toEqual(shown(document));
    const other = rowOf('reward', entryValues(shown('{"id":"R1"}')));
    expect(other).toMatchObject({ seen_document: '{"id":"R1"}', document });
    expect(readEntry(other)).toEqual(shown('{"id":"R1"}'));
  });

  test('an event, the state that it led to, and what it moved', () => {
    const row = rowOf('event', claimed(paying));
    expect(readEvent(row)).toEqual({
      seq: 2,
      atMs: nowMs,
      rewardId: 'R1',
      kind: 'claimed',
      by: 'run',
      payment: 'paying',
      report: 'pending',
      attempt: 1,
      detail: { a: 1 },
    });
    const { payment, report, attempt, keyGeneration, terms, scopes } = paying;
    const { document: _, ...known } = terms ?? { document: '' };
    expect(readSummary(readRow('event', row))).toEqual({
      payment,
      report,
      attempt,
      keyGeneration,
      terms: known,
      scopes,
    });
    expect(readRow('event', row).posting).toBe('reserve');
    expect(row).toMatchObject({
      posted_amount: 5_000_000n,
      posted_scopes: '["day 2026-01-01"]',
      owner: 'run',
    });
  });

  test('an event that moves nothing has no owner, unless it is a claim', () => {
    const observed = { seq: 1, atMs: 0, by: 'run', posted: undefined };
    const row = rowOf('event', eventValues(seen, { kind: 'seen', detail: {} }, observed));
    expect(readSummary(readRow('event', row)).terms).toBeNull();
    expect(readRow('event', row).posting).toBeNull();
    expect(row).toMatchObject({ posted_amount: null, posted_scopes: '[]', owner: null });
    const paidRow = rowOf('event', eventValues(paying, { kind: 'seen', detail: {} }, observed));
    expect(paidRow['owner']).toBeNull();
    const lostRow = rowOf('event', eventValues(seen, { kind: 'claimed', detail: {} }, observed));
    expect(lostRow['owner']).toBeNull();
  });

  it.each([capped, { amount: null, count: null }])('a budget under the cap %o', (cap) => {
    const row = rowOf('budget', budgetValues({ budget, cap }));
    expect(readBudget(row)).toEqual({ budget, cap });
  });

  it.each([null, 9])('a plan that ended at %s', (endedAtMs) => {
    expect(readPlan(rowOf('plan', planValues({ ...plan, endedAtMs })))).toEqual({ ...plan, endedAtMs });
  });
});

describe('a column that changed after it was written', () => {
  const changed = (row: LedgerRow, name: string) => {
    const value = row[name] ?? null;
    return { ...row, [name]: typeof value === 'bigint' ? value + 1n : `${value ?? ''}?` };
  };

  it.each([
    ['reward', 'R1', entryValues(paying), readEntry],
    ['event', 'R1', claimed(paying), readEvent],
    ['budget', 'day', budgetValues({ budget, cap: capped }), readBudget],
    ['plan', 'plan-1', planValues(plan), readPlan],
  ] as const)('of a %s is noticed before anything is read, whichever it is', (table, name, values, read) => {
    const row = rowOf(table, values);
    expect(isSealed(table, row)).toBe(true);
    for (const column of [...Object.keys(sealedColumns[table]).slice(1), 'seal'].filter(
      (each) => each !== 'reward_id',
    )) {
      expect(isSealed(table, changed(row, column))).toBe(false);
      expect(() => read(changed(row, column))).toThrow(
        expect.objectContaining({
          kind: 'ledger',
          message: `the ledger is damaged: its ${table} ${name} was changed after it was written`,
          hint: 'run `reviewctl ledger verify`, then restore a backup; a damaged ledger pays nothing',
        }),
      );
    }
  });

  test('and one that is gone is not one that held nothing', () => {
    const { document: _, ...others } = rowOf('reward', entryValues(paying));
    expect(() => readEntry(others)).toThrow('was changed after it was written');
  });

  test('and a text in the place of nothing is another value', () => {
    const row = rowOf('plan', planValues(plan));
    expect(isSealed('plan', { ...row, ended_at_ms: '' })).toBe(false);
  });
});

test('a row keeps its columns and its seal for good', () => {
  expect(planValues(plan)).toEqual(['plan-1', 'a', 'run', 1n, null, '4kdJmH3rc7cnUf8O']);
  expect(budgetValues({ budget, cap: capped })).toEqual(['day', 7n, 8n, 1n, 2n, 3n, 4n, 'ZbuXXEGFutDRbeTy']);
});

it.each([
  ['사과', '사과'],
  ['a\0b\0', 'a\ufffdb\ufffd'],
  ['half \ud800', 'half \ufffd'],
  [null, null],
])('of %j a database keeps %j', (text, kept) => {
  expect(storable(text)).toBe(kept);
});
