import { expect, it } from 'vitest';
import { planSettlement } from '../../src/settle/flow/plan-settlement.ts';
import type { LedgerEntry, Observation } from '../../src/store/ledger/ledger.ts';
import { untouched } from '../../src/store/ledger/ledger-invariants.ts';
import {
  idempotentPayer,
  identity,
  nowMs,
  observation,
  paid,
  paying,
  plainPayer,
  refused,
  unknown,
} from './entries.ts';
import { openPolicy } from './open-policy.ts';
import { openSettlement } from './open-settlement.ts';
import { planOf } from './plan-of.ts';
import { newLedger, pagesOf, readLedger } from './read-ledger.ts';
import { scriptedPayer } from './scripted-payer.ts';

interface Foreseen {
  readonly entries?: readonly LedgerEntry[];
  /** The service's list, by id. */
  readonly listed?: readonly (readonly [rewardId: string, seen?: Partial<Observation>])[];
  readonly frozen?: string;
  readonly capabilities?: typeof plainPayer | typeof idempotentPayer;
  readonly cap?: number;
  readonly used?: number;
  /** The planned rewards, each with its first payment. */
  readonly planned?: readonly string[];
}

async function foresee({
  entries = [],
  listed = [],
  frozen,
  capabilities = plainPayer,
  cap,
  used = 0,
  planned,
}: Foreseen) {
  const world = await openSettlement({ reviews: 0 });
  const base = world.settlement(scriptedPayer({ capabilities }));
  const rewards = listed.map(([rewardId, changes]) => ({
    rewardId,
    seen: observation({ atMs: nowMs, ...changes }),
  }));
  const asked: string[] = [];
  const settlement = {
    ...base,
    clock: { ...base.clock, now: () => nowMs },
    service: { ...base.service, queued: () => pagesOf(rewards) },
    policy: { ...openPolicy, maxPerRun: { amount: null, count: cap ?? null } },
    run: 'run',
    ...(planned === undefined ? {} : { plan: planOf(planned) }),
    ledger: {
      ...world.ledger,
      ...readLedger(entries),
      identity: { ...world.ledger.identity, ...identity },
      meta: async () => ({ ...newLedger, frozen: frozen ?? null }),
      budgets: async (scope: string) => {
        asked.push(scope);
        return [
          { ...untouched(`${scope}0`), spentCount: 99 },
          { ...untouched(scope), spentCount: used },
        ];
      },
    },
  };
  const found = [];
  for await (const reward of planSettlement(settlement)) found.push(reward);
  // Nothing was written.
  expect([await world.ledger.lastSeq(), await world.ledger.plans.find('plan')]).toEqual([0, undefined]);
  return { found, asked };
}

/** The planned outcome of each reward, in one line. */
async function story(foreseen: Foreseen): Promise<readonly string[]> {
  const { found } = await foresee(foreseen);
  return found.map(({ outcome, payment, isEarlier, cause }) =>
    [
      `${outcome.rewardId} ${outcome.outcome}`,
      ...(payment ? ['to be paid'] : []),
      ...(isEarlier ? ['earlier'] : []),
      ...(cause === undefined ? [] : [cause]),
      outcome.reason,
    ].join(', '),
  );
}

const called = (rewardId: string, entry: LedgerEntry, changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...entry,
  rewardId,
  ...changes,
});

it('rewards are foreseen in the order of a run: decided, open, then in doubt by calls', async () => {
  const at = (rewardId: string, lastCallAtMs: number | null, attempt = 1) =>
    called(rewardId, unknown, { lastCallAtMs, attempt });
  const inDoubt = [at('a', 5), at('b', 2, 2), at('c', null), at('f', 3), at('g', 4)];
  const entries = [...inDoubt, called('d', refused), called('e', paid)];
  const listed = ['z', 'y', 'g', 'f', 'e', 'd', 'c', 'b', 'a'].map((id): [string] => [id]);
  const { found } = await foresee({ entries, listed });
  const order = ['d', 'e', 'y', 'z', 'c', 'f', 'g', 'a', 'b'];
  expect(found.map(({ outcome }) => outcome.rewardId)).toEqual(order);
});

it.each<[what: string, foreseen: Foreseen, line: string]>([
  ['waits', { listed: [['1']] }, '1 waiting, to be paid, would be paid'],
  [
    'is in doubt, and its key is honoured',
    {
      entries: [called('1', unknown, { payer: idempotentPayer.name })],
      listed: [['1']],
      capabilities: idempotentPayer,
    },
    '1 waiting, to be paid, would be paid once more under the same key, which its payer honours',
  ],
  [
    'is paid',
    { entries: [called('1', paid)], listed: [['1']] },
    '1 paid, earlier, is paid; would be reported as SUCCESS',
  ],
  [
    'is refused',
    { entries: [called('1', refused)], listed: [['1']] },
    '1 refused, earlier, is refused; would be reported as CANCELLED',
  ],
  [
    'has no member',
    { listed: [['1', { memberOriginId: null }]] },
    '1 held, the order names no member: a guest order earns no reward',
  ],
  ['is frozen', { listed: [['1']], frozen: 'an audit' }, '1 waiting, the ledger is frozen: an audit'],
  [
    'is under way',
    { entries: [called('1', paying)], listed: [['1']] },
    '1 waiting, a call to the payer was begun; the next run reads its outcome',
  ],
  [
    'is handed over',
    { entries: [called('1', paying, { call: { owner: 'batch', leaseUntilMs: null } })], listed: [['1']] },
    '1 waiting, handed over in batch; its outcome must be imported',
  ],
  [
    'has no room',
    { listed: [['1']], cap: 3, used: 3 },
    '1 held, no room for another payment under the cap of this run: 3 of 3 payments used',
  ],
  [
    'is in doubt',
    { entries: [called('1', unknown)], listed: [['1']] },
    '1 unknown, time-out; the payer is not idempotent',
  ],
  [
    'does not wait any more',
    { listed: [['1', { status: 'FAILURE' }]] },
    '1 waiting, vanished, the service says FAILURE',
  ],
  [
    'differs from its plan',
    { listed: [['1', { amount: 1n }]], planned: ['1'] },
    '1 held, drifted, the plan says 500 to M1; now it is 0.0001 to M1',
  ],
  [
    'is held in its plan',
    { listed: [['1', { memberOriginId: null }]], planned: ['1'] },
    '1 held, drifted, the order names no member: a guest order earns no reward',
  ],
  [
    'was paid by another run',
    { entries: [called('1', paid)], listed: [['1']], planned: ['1'] },
    '1 paid, earlier, drifted, is paid; would be reported as SUCCESS',
  ],
  [
    'was refused since it was planned',
    { entries: [called('1', refused)], listed: [['1']], planned: ['1'] },
    '1 refused, earlier, is refused; would be reported as CANCELLED',
  ],
  [
    'was paid by its plan',
    { entries: [called('1', paid, { scopes: ['plan plan'] })], listed: [['1']], planned: ['1'] },
    '1 paid, earlier, is paid; would be reported as SUCCESS',
  ],
  [
    'is gone from the list, and unknown to the ledger',
    { planned: ['1'] },
    '1 held, drifted, the service no longer lists it as QUEUED',
  ],
  [
    'is gone from the list, and was not paid by its plan',
    { entries: [called('1', paid)], planned: ['1'] },
    '1 held, drifted, the service no longer lists it as QUEUED',
  ],
  [
    'is gone from the list, and was refused by its plan',
    { entries: [called('1', refused, { scopes: ['plan plan'] })], planned: ['1'] },
    '1 held, drifted, the service no longer lists it as QUEUED',
  ],
  [
    'is gone from the list, since its plan paid it',
    { entries: [called('1', paid, { scopes: ['plan plan'] })], planned: ['1'] },
    '1 paid, earlier, was paid by this plan',
  ],
])('a reward that %s is foreseen with what a run would do, and why', async (_, foreseen, line) => {
  expect(await story(foreseen)).toEqual([line]);
});

it('caps end at the reward at which those of a run would, and each budget is read once', async () => {
  const { found, asked } = await foresee({ listed: [['1'], ['2'], ['3'], ['4']], cap: 5, used: 3 });
  expect(found.map(({ payment }) => payment !== undefined)).toEqual([true, true, false, false]);
  expect(asked).toEqual(['run run', 'day 2026-01-01', 'member 2026-01-01 M1']);
});

it('what would be paid is planned with its terms and the number of its calls; what is not planned is left out', async () => {
  const entries = [called('1', unknown, { payer: idempotentPayer.name, attempt: 3 })];
  const { found } = await foresee({ entries, listed: [['1'], ['2']], capabilities: idempotentPayer });
  expect(found.map(({ payment }) => payment)).toMatchObject([
    { rewardId: '2', amount: 5_000_000n, memberOriginId: 'M1', attempt: 0 },
    { rewardId: '1', amount: 5_000_000n, memberOriginId: 'M1', attempt: 3 },
  ]);
  expect(await story({ listed: [['2']], planned: [] })).toEqual([]);
});

it('what is in doubt is foreseen with the time since when it is', async () => {
  const { found } = await foresee({ entries: [called('1', unknown)], listed: [['1']] });
  expect(found).toMatchObject([{ inDoubtSinceMs: nowMs }]);
});
