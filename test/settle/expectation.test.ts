import { expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import type { PayerCapabilities } from '../../src/payer/payer.ts';
import { checkExpectation, checkExpected, type Expectation } from '../../src/settle/flow/expectation.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import {
  covered,
  idempotentPayer,
  identity,
  nowMs,
  observation,
  paid,
  paying,
  plainPayer,
  refused,
  seen,
  unknown,
} from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { planOf } from './plan-of.ts';
import { readLedger } from './read-ledger.ts';
import { scriptedPayer } from './scripted-payer.ts';

const due = { count: 2, amount: 15_000_000n };

it.each<[expectation: Expectation, expected: string | undefined]>([
  [{ total: null, count: null }, undefined],
  [{ total: 15_000_000n, count: null }, undefined],
  [{ total: null, count: 2 }, undefined],
  [{ total: 15_000_000n, count: 2 }, undefined],
  [{ total: 15_000_001n, count: null }, '1500.0001 in all'],
  [{ total: null, count: 3 }, '3 rewards'],
  [{ total: 15_000_000n, count: 1 }, '1 reward and 1500 in all'],
  [{ total: 0n, count: 2 }, '2 rewards and 0 in all'],
])(
  'two rewards of 1500 in all meet the expectation %o, or the run ends with both (%s)',
  (expectation, expected) => {
    const check = () => checkExpected(due, expectation, 'reviewctl rewards settle --dry-run');
    if (expected === undefined) expect(check).not.toThrow();
    else {
      expect(check).toThrow(
        expect.objectContaining({
          kind: 'guard',
          message: `expected ${expected}, but 2 rewards, 1500 in all, would be paid; nothing was paid`,
          hint: 'see each of them with: reviewctl rewards settle --dry-run',
        }),
      );
    }
  },
);

const plan = planOf(['R1']);
const ofPlan = { scopes: ['plan plan'] };

/** A run over these entries. `failure` returns the message of a failed expectation, which states what is due. */
async function open(
  entries: readonly LedgerEntry[],
  overrides: Partial<Settlement> = {},
  capabilities: PayerCapabilities = plainPayer,
) {
  const { settlement, ledger } = await openSettlement({ reviews: 0 });
  const clock = { now: () => nowMs, monotonicMs: () => 0, sleep: async () => undefined };
  const shown = { ...ledger, ...readLedger(entries), identity: { ...ledger.identity, ...identity } };
  const own = { clock, run: 'run', beganMs: nowMs, ledger: shown, ...overrides };
  const run = settlement(scriptedPayer({ capabilities }), own);
  const failure = async (all?: AsyncIterable<LedgerEntry>): Promise<Failure> => {
    const error = await checkExpectation(run, { total: null, count: 99 }, all).catch((thrown) => thrown);
    if (!(error instanceof Failure)) throw error;
    return error;
  };
  return { run, failure };
}

it.each<[what: string, entry: LedgerEntry, overrides: Partial<Settlement>, due: string]>([
  ['waits', seen, {}, '1 reward, 500'],
  ['was seen too long ago', { ...seen, seen: observation({ atMs: 0 }) }, {}, '1 reward, 500'],
  [
    'is stale without an amount',
    { ...seen, seen: observation({ atMs: 0, amount: null }) },
    {},
    '0 rewards, 0',
  ],
  ['has no amount', { ...seen, seen: observation({ amount: null }) }, {}, '0 rewards, 0'],
  ['is paid', paid, {}, '0 rewards, 0'],
  ['is being paid', paying, {}, '0 rewards, 0'],
  ['waits as planned', seen, { plan }, '1 reward, 500'],
  ['is not planned', { ...seen, rewardId: 'R9' }, { plan }, '0 rewards, 0'],
  [
    'has another amount than planned',
    { ...seen, seen: observation({ amount: 1n }) },
    { plan },
    '0 rewards, 0',
  ],
  [
    'is paid by its plan',
    { ...paid, ...ofPlan, seen: observation({ amount: 1n }) },
    { plan },
    '1 reward, 500',
  ],
  ['is paid by another plan', { ...paid, scopes: ['plan other'] }, { plan }, '0 rewards, 0'],
  ['was refused since it was planned', refused, { plan }, '1 reward, 500'],
  ['was refused before it was planned', { ...refused, attempt: 0 }, { plan }, '0 rewards, 0'],
  ['is in doubt since it was planned', unknown, { plan }, '0 rewards, 0'],
])('a reward that %s is expected only if it may be paid', async (_, entry, overrides, due) => {
  const { failure } = await open([], overrides);
  const { message, hint } = await failure(one(entry));
  expect(message).toContain(`but ${due} in all, would be paid`);
  const show = overrides.plan === undefined ? '--dry-run' : '--plan p --dry-run';
  expect(String(hint)).toBe(`see each of them with: reviewctl rewards settle ${show}`);
});

it('a payment in doubt that would be called for again is expected', async () => {
  const { failure } = await open([seen, { ...covered, rewardId: 'R2' }], {}, idempotentPayer);
  expect((await failure()).message).toContain('but 2 rewards, 1000 in all');
});

async function* one(entry: LedgerEntry) {
  yield entry;
}
