import { expect, it } from 'vitest';
import type { LookupAnswer, RecoveredOutcome } from '../../src/payer/payer.ts';
import { recoverReward, recoverRewards } from '../../src/settle/flow/recover-rewards.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { answered, claim, observe } from '../../src/settle/rules/transitions.ts';
import { claimOptions, observation, paid, plainPayer, seen } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const by = { by: 'run', scopes: ['day 2026-01-01'] };
const lost = { kind: 'ambiguous', message: 'lost' } as const;

interface Case extends Partial<Settlement> {
  /** The answer to the call; undefined if its process ended before it. */
  readonly answer?: Parameters<typeof answered>[1];
  readonly recovered?: RecoveredOutcome;
  readonly inBooks?: LookupAnswer;
  readonly payerName?: string;
  readonly rewardIds?: readonly string[];
  readonly lookupMs?: number;
}

/** Recovers payments of an earlier process; returns the state of R1 and the questions to the payer. */
async function open({
  answer,
  recovered,
  inBooks,
  payerName = plainPayer.name,
  rewardIds = ['R1'],
  lookupMs = 0,
  ...overrides
}: Case) {
  const { ledger, clock, settlement } = await openSettlement({ reviews: 0 });
  for (const rewardId of rewardIds) {
    await ledger.change(rewardId, observe(rewardId, observation({ atMs: clock.now() })), by);
    await ledger.change(rewardId, claim(claimOptions()), by);
    if (answer !== undefined) await ledger.change(rewardId, answered(1, answer, plainPayer), by);
  }
  const asked: string[] = [];
  const payer = {
    ...scriptedPayer({ capabilities: { ...plainPayer, name: payerName } }),
    forget: async () => void asked.push('forget'),
    recoveredOutcome: async () => {
      asked.push('records');
      return recovered ?? ({ kind: 'none' } as const);
    },
    ...(inBooks === undefined
      ? {}
      : {
          lookUp: async () => {
            asked.push('books');
            await clock.sleep(lookupMs);
            return inBooks;
          },
        }),
  };
  const run = settlement(payer, overrides);
  const entry = async () => {
    const found = await ledger.find('R1');
    if (found === undefined) throw new Error('the reward is not in the ledger');
    return found;
  };
  return {
    ledger,
    run,
    asked,
    entry,
    settlement: (isAlive: boolean) => settlement(payer, { isOwnerAlive: async () => isAlive }),
  };
}

const undecided: LookupAnswer = { kind: 'undecided', message: 'no route' };
const isOwnerAlive = async () => true;

it.each<[what: string, given: Case, payment: string, asked: readonly string[]]>([
  ['has no record', {}, 'unknown', ['records']],
  ['belongs to a living process', { isOwnerAlive, inBooks: undecided }, 'paying', []],
  ['is met by a run that stops', { stopping: AbortSignal.abort() }, 'paying', []],
  ['is on record as paid', { recovered: { kind: 'paid', ref: 'T1' } }, 'paid', ['records', 'forget']],
  [
    'was unknown, and is on record as paid',
    { answer: lost, recovered: { kind: 'paid', ref: 'T1' } },
    'paid',
    ['records', 'forget'],
  ],
  ['is in the books', { answer: lost, inBooks: { kind: 'paid' } }, 'paid', ['records', 'books']],
  ['is not shown by the books', { answer: lost, inBooks: undecided }, 'unknown', ['records', 'books']],
  [
    'may still be made by its program',
    { answer: lost, inBooks: { kind: 'not-found' }, recovered: { kind: 'running', message: 'it runs' } },
    'unknown',
    ['records'],
  ],
  [
    'was made by another payer',
    { answer: lost, inBooks: { kind: 'paid' }, payerName: 'another' },
    'unknown',
    ['records'],
  ],
])('a payment that %s is recovered by what is known of it', async (_, given, payment, asked) => {
  const world = await open(given);
  await recoverRewards(world.run);
  expect(await world.entry()).toMatchObject({ payment });
  expect(world.asked).toEqual(asked);
});

it.each<[inBooks: LookupAnswer, count: number]>([
  [undecided, 2],
  [{ kind: 'not-found' }, 3],
])(
  'books that answer %j in 30 s are asked %i times, for a minute in vain at most',
  async (inBooks, count) => {
    const given = { answer: lost, inBooks, lookupMs: 30_000, rewardIds: ['R1', 'R2', 'R3'] };
    const { run, asked } = await open(given);
    await recoverRewards(run);
    expect(asked.filter((what) => what === 'books')).toHaveLength(count);
  },
);

it('a payment that has ended since it was read is shown as the ledger has it now', async () => {
  const { ledger, entry, settlement } = await open({});
  const read = await entry();
  expect(await recoverReward(settlement(true), read)).toMatchObject({
    underWay: expect.stringMatching(/./),
  });
  await ledger.change('R1', answered(1, lost, plainPayer), by);
  expect(await recoverReward(settlement(true), read)).toEqual({ entry: await entry() });
  await ledger.change('R1', answered(1, { kind: 'paid' }, plainPayer), by);
  expect(await recoverReward(settlement(false), read)).toEqual({ entry: await entry() });
  for (const other of [{ ...read, rewardId: 'R9' }, seen, paid])
    expect(await recoverReward(settlement(false), other)).toEqual({ entry: other });
});
