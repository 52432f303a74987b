import { expect, it } from 'vitest';
import { paymentKey } from '../../src/settle/rules/payment-key.ts';
import {
  ageOf,
  capsOn,
  freshMs,
  inDoubtSinceMs,
  koreanDay,
  verdictOn,
} from '../../src/settle/rules/policy.ts';
import type { LedgerEntry, Observation } from '../../src/store/ledger/ledger.ts';
import {
  covered,
  hourMs,
  idempotentPayer,
  nowMs,
  observation,
  paid,
  plainPayer,
  seen,
  unknown,
} from './entries.ts';
import { openPolicy } from './open-policy.ts';

const shown = (changes: Partial<Observation>, entry: LedgerEntry = seen) => ({
  ...entry,
  seen: observation(changes),
});
const capOf = (maxPerReward: bigint) => ({ policy: { ...openPolicy, maxPerReward } });
const keyed = { capabilities: idempotentPayer };
const endMs = nowMs + 24 * hourMs;

/** The boundaries only; decisions.test.ts has every verdict on every kind of entry. */
it.each<[what: string, entry: LedgerEntry, verdict: string, changes?: object]>([
  ['seen a minute ago', seen, 'pay', { nowMs: nowMs + freshMs }],
  ['seen earlier', seen, 'stale', { nowMs: nowMs + freshMs + 1 }],
  ['seen in the next minute', seen, 'pay', { nowMs: nowMs - freshMs }],
  ['seen in the future', seen, 'stale', { nowMs: nowMs - freshMs - 1 }],
  ...['SENDING', 'SUCCESS', 'FAILURE', 'CANCELLED', 'INVALID', 'UNAPPROVED', 'queued', ''].flatMap(
    (status): [string, LedgerEntry, string, object?][] => [
      [`that is '${status}'`, shown({ status }), 'not-queued'],
      [`that is lost, and is '${status}'`, shown({ status }, covered), 'not-queued', keyed],
    ],
  ),
  ...[null, '', ' \t'].map((memberOriginId): [string, LedgerEntry, string] => [
    `of the member ${JSON.stringify(memberOriginId)}`,
    shown({ memberOriginId }),
    'no-member',
  ]),
  ...[null, 0n, -1n].map((amount): [string, LedgerEntry, string] => [
    `of the amount ${amount}`,
    shown({ amount }),
    'no-amount',
  ]),
  ['above the cap of one', seen, 'above-cap', capOf(4_999_999n)],
  ['at the cap of one', seen, 'pay', capOf(5_000_000n)],
  ['that is lost, of another amount now', shown({ amount: 1n }, covered), 'changed', keyed],
  ['that is lost, of another member now', shown({ memberOriginId: 'M2' }, covered), 'changed', keyed],
  ['that is lost by another payer', unknown, 'in-doubt', keyed],
  ['that is lost by a payer without keys, and failed', shown({ status: 'FAILURE' }, unknown), 'in-doubt'],
  [
    'that is lost by a payer that honours no keys any more',
    covered,
    'in-doubt',
    { capabilities: { ...idempotentPayer, idempotentForMs: null } },
  ],
  [
    'that is lost, while its key lives',
    shown({ atMs: endMs - 1 }, covered),
    'pay',
    { ...keyed, nowMs: endMs - 1 },
  ],
  [
    'that is lost, and its key forgotten',
    shown({ atMs: endMs }, covered),
    'in-doubt',
    { ...keyed, nowMs: endMs },
  ],
  ['that is lost after now', shown({ atMs: nowMs - 1 }, covered), 'in-doubt', { ...keyed, nowMs: nowMs - 1 }],
])('the verdict on a reward %s is: %s', (_, entry, verdict, changes) => {
  const found = verdictOn(entry, { policy: openPolicy, capabilities: plainPayer, nowMs, ...changes });
  expect(found.kind === 'held' ? found.reason : found.kind).toBe(verdict);
});

it('a call in doubt is said to be made to another payer', () => {
  const lost = { ...unknown, payer: 'exec /bin/false', reason: 'exit code 1' };
  const verdict = verdictOn(lost, { policy: openPolicy, capabilities: idempotentPayer, nowMs });
  expect(verdict).toMatchObject({
    message: 'exit code 1; the call was made to another payer, exec /bin/false',
  });
});

it('the caps of a payment are of the run, the Korean day and the member on that day', () => {
  const policy = {
    maxPerReward: null,
    maxPerRun: { amount: 1n, count: 2 },
    maxPerDay: 3n,
    maxPerMemberPerDay: 4n,
  };
  expect(capsOn(policy, { run: 'r1', memberOriginId: 'M1', nowMs })).toEqual([
    { scope: 'run r1', amount: 1n, count: 2 },
    { scope: 'day 2026-01-01', amount: 3n, count: null },
    { scope: 'member 2026-01-01 M1', amount: 4n, count: null },
  ]);
  const midnight = Date.UTC(2026, 0, 1, 15);
  expect([midnight - 1, midnight].map(koreanDay)).toEqual(['2026-01-01', '2026-01-02']);
});

it('only what is unknown has an age, and an instant of the future is older than any', () => {
  const called = (firstCallAtMs: number | null, lastCallAtMs: number | null) =>
    inDoubtSinceMs({ ...unknown, firstCallAtMs, lastCallAtMs });
  expect([
    called(nowMs, nowMs + 1),
    called(null, nowMs + 1),
    called(null, null),
    inDoubtSinceMs(paid),
  ]).toEqual([nowMs, nowMs + 1, undefined, undefined]);
  expect([1, 0, -1].map((ms) => ageOf(nowMs, nowMs + ms))).toEqual([1, 0, Number.POSITIVE_INFINITY]);
});

it('a key is the same everywhere, fits where keys are stored, and differs by all that it names', () => {
  const shop = { origin: 'https://api.example', shop: 'shop' };
  expect(paymentKey(shop, 'R1', 0)).toBe('rv1-g642yc72fwhn5zxk2aoc5vtbkvfxsavnv2c4aiwx');
  const keys = [
    ...Array.from({ length: 100 }, (_, generation) => paymentKey(shop, `보상 ${generation}`, generation)),
    paymentKey(shop, 'R1', 0),
    paymentKey(shop, 'R1', 1),
    paymentKey(shop, 'R10', 0),
    paymentKey(shop, 'R', 10),
    paymentKey({ ...shop, shop: 'shopR1' }, '', 0),
    paymentKey({ ...shop, shop: '' }, 'shopR1', 0),
    paymentKey({ ...shop, origin: 'https://api.example/' }, 'R1', 0),
    paymentKey({ origin: 'https://api.exampleshop', shop: '' }, 'R1', 0),
  ];
  for (const key of keys) expect(key).toMatch(/^rv1-[a-z2-7]{40}$/);
  expect(new Set(keys).size).toBe(keys.length);
});
