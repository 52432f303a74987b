import { expect, it } from 'vitest';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { createPlanRun } from '../../src/settle/flow/plan-run.ts';
import type { SettledReward } from '../../src/settle/flow/settle-reward.ts';
import { rewardOutcome } from '../../src/settle/flow/settlement.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import { nowMs, paid, paying, seen, unknown } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { planOf } from './plan-of.ts';
import { readLedger } from './read-ledger.ts';
import { scriptedPayer } from './scripted-payer.ts';

const plan = planOf(['1', '2', '3', '4', '5']);

async function open(entries: readonly LedgerEntry[]) {
  const { settlement, ledger, clock } = await openSettlement({ reviews: 0 });
  const ended: string[] = [];
  const plans = { ...ledger.plans, end: async (id: string) => void ended.push(id) };
  const shown = { ...ledger, ...readLedger(entries), plans };
  const own = { ...settlement(scriptedPayer({})), ledger: shown, run: 'run', beganMs: nowMs };
  const run = createPlanRun(own, plan, { mayContinue: () => true });
  return { run, ended, clock };
}

const at = (
  rewardId: string,
  entry: LedgerEntry,
  changes: Partial<LedgerEntry['seen']> = {},
): LedgerEntry => ({
  ...entry,
  rewardId,
  seen: { ...entry.seen, ...changes },
});
const entries = [
  at('5', unknown, { run: 'other' }),
  at('4', paying, { run: 'other', atMs: nowMs - 1 }),
  at('3', seen, { run: 'other' }),
  at('2', seen, { run: 'other', atMs: nowMs - 1 }),
  at('9', seen),
];

it('a run of a plan begins with what is not there any more, and goes on with the rest in its order', async () => {
  const { run } = await open(entries);
  const absent: SettledReward[] = [];
  for await (const one of run.absent()) absent.push(one);
  expect(absent.map(({ outcome }) => outcome.rewardId)).toEqual(['1', '2']);
  const ids: string[] = [];
  for await (const { rewardId } of run.entries()) ids.push(rewardId);
  expect(ids).toEqual(['3', '4', '5']);
  const failed = await open([at('3', seen, { run: 'other', status: 'FAILURE' })]);
  const left: string[] = [];
  for await (const { rewardId } of failed.run.entries()) left.push(rewardId);
  expect(left).toEqual([]);
});

const result = (changes: Partial<SettledReward>, outcome: object = {}): SettledReward => ({
  outcome: { ...rewardOutcome(at('1', paid)), ...outcome },
  ...changes,
});
const trouble = new ServiceFailure('unreachable', 'gone', undefined, { operation: 'updateReward' });

it.each<[what: string, settled: SettledReward, judged: object, isDone: boolean]>([
  ['paid', result({}), { cause: undefined }, true],
  ['paid, and not reported', result({ trouble }), { cause: undefined }, false],
  [
    'paid by another run',
    result({ isEarlier: true }),
    { cause: 'drifted', outcome: { reason: 'another run paid it since it was planned' } },
    true,
  ],
  ['refused before', result({ isEarlier: true }, { outcome: 'refused' }), { cause: undefined }, true],
  [
    'held',
    result({ cause: 'held' }, { outcome: 'held' }),
    { cause: 'drifted', outcome: { outcome: 'held' } },
    true,
  ],
  [
    'not queued',
    result({ cause: 'not-queued' }, { outcome: 'waiting' }),
    { cause: 'drifted', outcome: { outcome: 'held' } },
    true,
  ],
  [
    'not queued, in doubt',
    result({ cause: 'not-queued' }, { outcome: 'unknown' }),
    { cause: 'drifted', outcome: { outcome: 'unknown' } },
    true,
  ],
  ['capped', result({ cause: 'capped' }), { cause: 'capped' }, false],
  ['lost', result({ cause: 'outcome-unknown' }), { cause: 'outcome-unknown' }, false],
])(
  'a run of a plan judges a planned reward that is %s, and ends once none is left',
  async (_, settled, judged, isDone) => {
    const { run, ended } = await open([at('1', paid)]);
    for (const rewardId of ['2', '3', '4', '5']) run.judge(result({}), at(rewardId, paid));
    expect({ cause: undefined, ...run.judge(settled, at('1', paid)) }).toMatchObject(judged);
    await run.end();
    expect(ended).toEqual(isDone ? ['plan'] : []);
  },
);

it('a run of a plan ends once the rest of it is absent, and not while a reward that was done is open again', async () => {
  const { run, ended } = await open([at('1', paid)]);
  for await (const _ of run.absent());
  await run.end();
  expect(ended).toEqual([]);
  run.judge(result({}), at('1', paid));
  run.judge(result({ cause: 'capped' }), at('1', paid));
  await run.end();
  expect(ended).toEqual([]);
  run.judge(result({}), at('1', paid));
  await run.end();
  expect(ended).toEqual(['plan']);
});

it('a run of a plan leaves what is not planned as it is, and is not done by it', async () => {
  const { run, ended } = await open([]);
  const settled = result({ cause: 'held' });
  expect(run.judge(settled, at('9', paid))).toBe(settled);
  await run.end();
  expect(ended).toEqual([]);
});

it('a run of a plan knows what it paid itself before', async () => {
  const { run } = await open([]);
  const own = { ...at('1', paid), scopes: ['plan plan'] };
  expect(run.judge(result({ isEarlier: true }), own)).not.toHaveProperty('cause');
});
