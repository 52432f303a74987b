import { expect, it } from 'vitest';
import type { LookupAnswer } from '../../src/payer/payer.ts';
import { recoverReward, recoverRewards } from '../../src/settle/flow/recover-rewards.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { answered, claim, observe } from '../../src/settle/rules/transitions.ts';
import { claimOptions, observation, paid, plainPayer, seen } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const by = { by: 'run', scopes: ['day 2026-01-01'] };

/** A ledger in which a payment of R1 was begun, and was answered so, if it was. */
async function open(
  payer = scriptedPayer({ capabilities: plainPayer }),
  answer?: Parameters<typeof answered>[1],
) {
  const forgotten: string[] = [];
  const { ledger, clock, settlement } = await openSettlement({ reviews: 0 });
  await ledger.change('R1', observe('R1', observation({ atMs: clock.now() })), by);
  await ledger.change('R1', claim(claimOptions({ capabilities: payer.capabilities })), by);
  if (answer !== undefined) await ledger.change('R1', answered(1, answer, payer.capabilities), by);
  const noting = { ...payer, forget: async (key: string) => void forgotten.push(key) };
  const recovered = async (overrides: Partial<Settlement> = {}) => {
    await recoverRewards(settlement({ ...noting, ...overrides.payer }, overrides));
    return ledger.find('R1');
  };
  const entry = async () => {
    const found = await ledger.find('R1');
    if (found === undefined) throw new Error('the reward is not in the ledger');
    return found;
  };
  return { ledger, clock, settlement, payer: noting, forgotten, recovered, entry };
}

it('a payment that a process left unfinished is unknown where nothing shows its outcome, and is not touched while its process lives', async () => {
  const { recovered, settlement, payer, entry, forgotten } = await open();
  const isOwnerAlive = async () => true;
  let asked = 0;
  const watched = {
    ...payer,
    recoveredOutcome: async () => {
      asked += 1;
      return { kind: 'none' } as const;
    },
    lookUp: async () => {
      asked += 1;
      return { kind: 'undecided', message: 'no route' } as const;
    },
  };
  expect(await recovered({ isOwnerAlive, payer: watched })).toMatchObject({ payment: 'paying' });
  expect(asked).toBe(0);
  expect(await recovered({ isOwnerAlive })).toMatchObject({ payment: 'paying' });
  expect(await recoverReward(settlement(payer, { isOwnerAlive }), await entry())).toMatchObject({
    underWay: expect.stringMatching(/./),
  });
  expect(await recovered({ stopping: AbortSignal.abort() })).toMatchObject({ payment: 'paying' });
  expect(await recovered()).toMatchObject({ payment: 'unknown' });
  expect(await recoverReward(settlement(payer), await entry())).toEqual({ entry: await entry() });
  expect(forgotten).toEqual([]);
});

it('a payment that a process left unknown has the outcome that the records of its payer show later', async () => {
  const { recovered, payer, forgotten } = await open(undefined, { kind: 'ambiguous', message: 'lost' });
  const shows = { ...payer, recoveredOutcome: async () => ({ kind: 'paid', ref: 'T1' }) as const };
  expect(await recovered({ payer: shows })).toMatchObject({ payment: 'paid', ref: 'T1' });
  expect(forgotten).toHaveLength(1);
});

it('a payment that a process left unfinished, and that has ended since it was read, is shown as the ledger has it now', async () => {
  const { settlement, payer, entry, ledger } = await open();
  const read = await entry();
  const recover = (isAlive: boolean) =>
    recoverReward(settlement(payer, { isOwnerAlive: async () => isAlive }), read);
  await ledger.change('R1', answered(1, { kind: 'ambiguous', message: 'lost' }, plainPayer), by);
  const unknown = await entry();
  expect(await recover(true)).toEqual({ entry: unknown });
  expect(await entry()).toEqual(unknown);
  await ledger.change('R1', answered(1, { kind: 'paid' }, plainPayer), by);
  expect(await recover(false)).toEqual({ entry: await entry() });
  const gone = { ...read, rewardId: 'R9' };
  expect(await recoverReward(settlement(payer), gone)).toEqual({ entry: gone });
});

it('a payment that a process left unfinished has the outcome that the records of its payer show, which are not needed any more then', async () => {
  const { recovered, payer, forgotten } = await open();
  const shows = { ...payer, recoveredOutcome: async () => ({ kind: 'paid', ref: 'T1' }) as const };
  expect(await recovered({ payer: shows })).toMatchObject({ payment: 'paid', ref: 'T1' });
  expect(forgotten).toHaveLength(1);
});

it('a payment that a process left unfinished has the outcome that the books of its payer show', async () => {
  const asked: string[] = [];
  const lookUp =
    (kind: 'paid' | 'undecided') =>
    async ({ rewardId }: { readonly rewardId: string }) => {
      asked.push(rewardId);
      return kind === 'paid' ? ({ kind, ref: 'T1' } as const) : ({ kind, message: 'no route' } as const);
    };
  const { recovered, payer } = await open(undefined, { kind: 'ambiguous', message: 'lost' });
  expect(await recovered({ payer: { ...payer, lookUp: lookUp('undecided') } })).toMatchObject({
    payment: 'unknown',
  });
  const another = { ...payer, capabilities: { ...payer.capabilities, name: 'another' } };
  expect(await recovered({ payer: { ...another, lookUp: lookUp('paid') } })).toMatchObject({
    payment: 'unknown',
  });
  expect(asked).toEqual(['R1']);
  expect(await recovered({ payer: { ...payer, lookUp: lookUp('paid') } })).toMatchObject({
    payment: 'paid',
    ref: 'T1',
  });
});

it.each<[what: string, answer: LookupAnswer, count: number]>([
  ['is not looked up after lookups that failed for a minute', { kind: 'undecided', message: 'no route' }, 2],
  ['is looked up after lookups that were answered slowly', { kind: 'not-found' }, 3],
])('a payment that a process left unfinished %s', async (_, answer, count) => {
  const { ledger, clock, recovered, payer } = await open(undefined, { kind: 'ambiguous', message: 'lost' });
  for (const rewardId of ['R2', 'R3']) {
    await ledger.change(rewardId, observe(rewardId, observation({ atMs: clock.now() })), by);
    await ledger.change(rewardId, claim(claimOptions()), by);
    await ledger.change(rewardId, answered(1, { kind: 'ambiguous', message: 'lost' }, plainPayer), by);
  }
  let asked = 0;
  const lookUp = async () => {
    asked += 1;
    await clock.sleep(30_000);
    return answer;
  };
  await recovered({ payer: { ...payer, lookUp } });
  expect(asked).toBe(count);
});

it('a payment that a process left unfinished is left alone where no payment was begun, or it is decided', async () => {
  const { settlement, payer } = await open();
  for (const entry of [seen, paid]) expect(await recoverReward(settlement(payer), entry)).toEqual({ entry });
});
