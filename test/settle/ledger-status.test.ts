import { expect, it } from 'vitest';
import { ledgerNextSteps } from '../../src/output/views/ledger-status-text.ts';
import { ledgerStatus } from '../../src/settle/manual/ledger-status.ts';
import type { Budget, LedgerEntry } from '../../src/store/ledger/ledger.ts';
import { untouched } from '../../src/store/ledger/ledger-invariants.ts';
import { hourMs, nowMs, observation, paid, paying, seen, unknown } from './entries.ts';
import { newLedger, readLedger } from './read-ledger.ts';

interface Shown {
  readonly entries?: readonly LedgerEntry[];
  readonly frozen?: string;
  readonly restoredAtMs?: number;
  readonly budgets?: readonly Budget[];
  readonly atMs?: number;
}

function statusOf({ entries = [], frozen, restoredAtMs, budgets = [], atMs = nowMs }: Shown) {
  const restoration =
    restoredAtMs === undefined
      ? null
      : { atMs: restoredAtMs, acceptedAtMs: null, comparedAtMs: nowMs, lostEvents: null };
  const ledger = {
    ...readLedger(entries),
    meta: async () => ({ ...newLedger, frozen: frozen ?? null, restoration }),
    budgets: async (prefix: string) => budgets.filter(({ scope }) => scope.startsWith(prefix)),
    sums: async () => [{ payment: 'paid', report: 'sent', count: 2, amount: 25_000n }] as const,
    lastSeq: async () => 7,
  };
  return ledgerStatus(ledger, atMs);
}

const time = '2026-01-01T14:59:00.000Z';
const nothing = { count: 0, amount: 0 };

it('a ledger without rewards has nothing to look at', async () => {
  expect(await statusOf({})).toEqual({
    shop: 'shop',
    origin: 'https://api.example',
    createdAt: time,
    frozen: null,
    restoration: null,
    states: [{ payment: 'paid', report: 'sent', count: 2, amount: 2.5 }],
    reversed: nothing,
    oldestUnknown: null,
    unpaidNotQueued: { ...nothing, rewardIds: [] },
    batches: [],
    today: { day: '2026-01-01', spent: nothing, reserved: nothing },
    events: 7,
  });
});

it('a ledger shows why it is frozen, how it was restored and what today has used', async () => {
  const budget = { spentAmount: 10_000n, spentCount: 1, reservedAmount: 20_000n, reservedCount: 2 };
  const status = await statusOf({
    frozen: 'an audit',
    restoredAtMs: nowMs,
    budgets: [untouched('run run'), { ...budget, scope: 'day 2026-01-01' }, untouched('day 2026-01-02')],
  });
  expect(status).toMatchObject({
    frozen: 'an audit',
    restoration: { at: time, acceptedAt: null, comparedAt: time },
    today: { spent: { count: 1, amount: 1 }, reserved: { count: 2, amount: 2 } },
  });
});

it('the oldest payment in doubt is named with its age', async () => {
  const lost = (rewardId: string, firstCallAtMs: number) => ({ ...unknown, rewardId, firstCallAtMs });
  const entries = [
    lost('new', nowMs),
    lost('old', nowMs - hourMs),
    lost('as old', nowMs - hourMs),
    lost('middle', nowMs - 1),
    seen,
    paid,
  ];
  const record = { rewardId: 'old', since: '2026-01-01T13:59:00.000Z', lastCallAt: time };
  expect((await statusOf({ entries })).oldestUnknown).toEqual({ ...record, ageSeconds: 3_600 });
  const later = await statusOf({ entries, atMs: nowMs + 1_999 });
  expect(later.oldestUnknown?.ageSeconds).toBe(3_601);
  const before = await statusOf({ entries, atMs: 0 });
  expect(before.oldestUnknown).toEqual({ ...record, ageSeconds: null });
});

it('what is unpaid and does not wait any more is counted, and the first twenty are named', async () => {
  const failed = observation({ status: 'FAILURE' });
  const gone = (rewardId: string, entry: LedgerEntry) => ({ ...entry, rewardId, seen: failed });
  const without = { ...gone('no amount', seen), seen: { ...failed, amount: null } };
  const few = [gone('1', seen), gone('2', unknown), gone('3', paying), gone('4', paid), seen, without];
  expect((await statusOf({ entries: few })).unpaidNotQueued).toEqual({
    count: 3,
    amount: 1_000,
    rewardIds: ['1', '2', 'no amount'],
  });
  const termsOnly = { ...gone('5', unknown), seen: { ...failed, amount: null } };
  expect((await statusOf({ entries: [termsOnly] })).unpaidNotQueued.amount).toBe(500);
  const many = Array.from({ length: 21 }, (_, index) => gone(String(index), seen));
  const { count, rewardIds } = (await statusOf({ entries: many })).unpaidNotQueued;
  expect([count, rewardIds.length]).toEqual([21, 20]);
});

it('batches that are not imported to their end are named', async () => {
  const handedOver = { ...paying, call: { owner: 'batch', leaseUntilMs: null } };
  expect((await statusOf({ entries: [handedOver, paying] })).batches).toEqual([
    { batch: 'batch', count: 1, amount: 500 },
  ]);
});

const comparison = 'reviewctl ledger reconcile --payer-statement FILE --statement-end now';
const unfreezing = 'reviewctl ledger unfreeze, once the reason no longer applies';

it.each([
  [null, [unfreezing]],
  [{ acceptedAt: null, comparedAt: null }, ['reviewctl ledger accept', comparison]],
  [{ acceptedAt: time, comparedAt: null }, [comparison]],
  [{ acceptedAt: time, comparedAt: time }, [unfreezing]],
])('the next step of a frozen ledger is one that it takes: %j', async (restored, steps) => {
  const restoration = restored && { at: time, lostEvents: null, ...restored };
  const status = { ...(await statusOf({ frozen: 'why' })), restoration };
  expect(ledgerNextSteps(status).map(String)).toEqual(steps);
});
