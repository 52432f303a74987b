import { describe, expect, it } from 'vitest';
import { ledgerMonth } from '../../src/settle/manual/ledger-month.ts';
import type {
  Budget,
  EventKind,
  LedgerEntry,
  LedgerEvent,
  PaymentState,
} from '../../src/store/ledger/ledger.ts';
import { untouched } from '../../src/store/ledger/ledger-invariants.ts';
import { hourMs, nowMs, observation, paid, refused, seen, unknown } from './entries.ts';
import { readLedger } from './read-ledger.ts';

const dayMs = 24 * hourMs;

interface Month {
  readonly entries?: readonly LedgerEntry[];
  readonly events?: readonly LedgerEvent[];
  readonly budgets?: readonly Budget[];
  readonly maxPerReward?: bigint | null;
  readonly month?: string;
  readonly atMs?: number;
}

function monthOf({
  entries = [],
  events = [],
  budgets = [],
  maxPerReward = null,
  month = '2026-01',
  atMs = nowMs,
}: Month) {
  const ledger = {
    ...readLedger(entries, events),
    budgets: async (prefix: string) => budgets.filter(({ scope }) => scope.startsWith(prefix)),
  };
  return ledgerMonth(ledger, { month, maxPerReward, nowMs: atMs });
}

const terms = { amount: '500', key: 'k', memberOriginId: 'M1' };
let seq = 0;
function event(kind: EventKind, payment: PaymentState, atMs = nowMs): LedgerEvent {
  seq += 1;
  const detail = kind === 'paid' ? {} : terms;
  return { seq, atMs, rewardId: 'R1', kind, by: 'run', payment, report: 'pending', attempt: 1, detail };
}

const imported = { ...event('paid', 'paid'), detail: { ...terms, evidence: 'list' } };
const nothing = { count: 0, amount: 0n };
const one = { count: 1, amount: 5_000_000n };
const two = { count: 2, amount: 10_000_000n };
const day = {
  day: '2026-01-01',
  paid: nothing,
  refused: nothing,
  becameUnknown: nothing,
  reversed: nothing,
  spent: 0n,
  reserved: 0n,
};

describe('a month of a ledger', () => {
  it.each([
    ['2026-01', nowMs, ['2026-01-01']],
    ['2026-01', nowMs + dayMs, ['2026-01-01', '2026-01-02']],
    ['2026-01', nowMs + 60_000, ['2026-01-01', '2026-01-02']],
    ['2026-02', nowMs, []],
  ])('%s, at %d, has the Korean days until then', async (month, atMs, days) => {
    expect((await monthOf({ month, atMs })).days.map((each) => each.day)).toEqual(days);
  });

  it.each([
    ['2025-12', 31],
    ['2025-04', 30],
    ['2024-02', 29],
    ['2025-02', 28],
  ])('%s that is over has %i days', async (month, count) => {
    const { days } = await monthOf({ month });
    expect(days).toHaveLength(count);
    expect(days[8]?.day).toBe(`${month}-09`);
    expect(days.at(-1)?.day).toBe(`${month}-${count}`);
  });

  it.each<[what: string, entries: readonly LedgerEntry[], events: readonly LedgerEvent[], changes: object]>([
    ['payments', [], [event('claimed', 'paying'), event('paid', 'paid')], { paid: one }],
    [
      'payments that were lost',
      [],
      [event('claimed', 'paying'), event('unknown', 'unknown')],
      { becameUnknown: one },
    ],
    [
      'payments that were lost and found',
      [],
      [event('claimed', 'paying'), event('unknown', 'unknown'), event('paid', 'paid')],
      { becameUnknown: one, paid: one },
    ],
    [
      'payments that were lost and not made',
      [],
      [event('claimed', 'paying'), event('unknown', 'unknown'), event('released', 'intended')],
      { becameUnknown: one },
    ],
    ['imports, which are of before', [], [imported], {}],
    [
      'refusals, by their terms',
      [refused],
      [event('refused', 'refused'), event('refused', 'refused')],
      { refused: two },
    ],
    [
      'refusals, by what was seen',
      [{ ...refused, terms: null }],
      [event('refused', 'refused')],
      { refused: one },
    ],
    [
      'refusals of what is not known',
      [],
      [event('refused', 'refused')],
      { refused: { count: 1, amount: 0n } },
    ],
    [
      'refusals by their terms, whatever was seen since',
      [{ ...refused, seen: observation({ amount: 1n }) }],
      [event('refused', 'refused')],
      { refused: one },
    ],
    ['reports of refusals, which refuse nothing', [refused], [event('reported', 'refused')], {}],
    ['payments of another day', [], [event('claimed', 'paying'), event('paid', 'paid', nowMs - dayMs)], {}],
    ['refusals of another day', [refused], [event('refused', 'refused', nowMs - dayMs)], {}],
  ])('counts %s', async (_, entries, events, changes) => {
    expect((await monthOf({ entries, events })).days).toEqual([{ ...day, ...changes }]);
  });

  it('has what each day has spent and reserved', async () => {
    const budget = { ...untouched('day 2026-01-01'), spentAmount: 3n, reservedAmount: 4n };
    const beyond = { ...budget, scope: 'day 2026-01-02' };
    const ofMember = { ...budget, scope: 'mem 2026-01-01', spentAmount: 9n };
    expect((await monthOf({ budgets: [budget, beyond, ofMember] })).days).toEqual([
      { ...day, spent: 3n, reserved: 4n },
    ]);
  });
});

it('what the payer took back counts on the day on which that was recorded', async () => {
  const paidBefore = [event('claimed', 'paying', nowMs - dayMs), event('paid', 'paid', nowMs - dayMs)];
  const { days } = await monthOf({ events: [...paidBefore, event('reversed', 'paid')] });
  expect(days).toEqual([{ ...day, reversed: one }]);
});

describe('what is open in a ledger', () => {
  it.each<[reason: string, changes: Partial<LedgerEntry['seen']>]>([
    ['next-run', {}],
    ['next-run', { amount: 1_000_000n }],
    ['above-cap', { amount: 5_000_001n }],
    ['no-member', { memberOriginId: null }],
    ['not-queued', { status: 'FAILURE' }],
  ])('waits for %s (%o), however long ago it was seen', async (reason, changes) => {
    const entry = { ...seen, seen: { ...seen.seen, ...changes, atMs: nowMs - 90 * dayMs } };
    const month = await monthOf({ entries: [entry, paid, refused], maxPerReward: 5_000_000n });
    expect(month.waiting).toEqual([{ rewardId: 'R1', amount: entry.seen.amount, reason }]);
    expect(month.unknown).toEqual([]);
  });

  it('is unknown since its first call', async () => {
    const at = (atMs: number) => monthOf({ entries: [unknown], atMs });
    const lost = { rewardId: 'R1', amount: 5_000_000n };
    expect(await at(nowMs + hourMs)).toMatchObject({ waiting: [], unknown: [{ ...lost, ageMs: hourMs }] });
    expect(await at(nowMs - 1)).toMatchObject({ unknown: [{ ...lost, ageMs: Number.POSITIVE_INFINITY }] });
    const never = { ...unknown, firstCallAtMs: null, lastCallAtMs: null };
    expect(await monthOf({ entries: [never] })).toMatchObject({ unknown: [{ ...lost, ageMs: 0 }] });
  });
});
