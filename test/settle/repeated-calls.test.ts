import { expect, it } from 'vitest';
import type { Policy } from '../../src/settle/rules/policy.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { wrongIn } from '../store/ledger-suite.ts';
import { openPolicy } from './open-policy.ts';
import { mostEffects, openMembers, openSettlement, words } from './open-settlement.ts';
import { type CallScript, pays, type ScriptedPayer, scriptedPayer } from './scripted-payer.ts';

/*
 * A call whose answer was lost is repeated by a later run, where the payer honours its key. The caps of that run hold for it as for any
 * other call.
 */

const dayMs = 24 * 3_600_000;
const capabilities = { idempotentForMs: 3 * dayMs };
const givesNoAnswer: CallScript = {
  isEffective: false,
  answer: { kind: 'ambiguous', message: 'no answer' },
};

/** Rewards of 500 each, all for members, and a payer that pays the first of them and then answers no more: the others that were begun are unknown. */
async function openWorld({ reviews = 4, concurrency = 1 } = {}) {
  const world = await openMembers({ reviews });
  const script = (_payment: unknown, call: number) => (call === 1 ? pays : givesNoAnswer);
  const { outcomes } = await world.settle(scriptedPayer({ script, capabilities }), { concurrency });
  const unknown = outcomes.filter(({ outcome }) => outcome === 'unknown').map(({ rewardId }) => rewardId);
  return { ...world, unknown };
}

const ofRun = (amount: bigint | null, count: number | null): Policy => ({
  ...openPolicy,
  maxPerRun: { amount, count },
});

/** The rewards it was called for, each once. */
const calledFor = ({ calls }: ScriptedPayer) => [...new Set(calls.map(({ rewardId }) => rewardId))];

it('a run that may call once calls once, though three payments are unknown; the others stay unknown', async () => {
  const { settle, unknown } = await openWorld();
  expect(unknown).toHaveLength(3);
  const payer = scriptedPayer({ capabilities });
  const policy = ofRun(null, 1);
  const { outcomes, settled } = await settle(payer, { policy, run: 'second', concurrency: 1 });
  expect(payer.calls.map(({ rewardId }) => rewardId)).toEqual(unknown.slice(0, 1));
  const left = settled.filter(({ outcome }) => unknown.slice(1).includes(outcome.rewardId));
  const reason =
    'no answer; it is not repeated: no room for another payment under the cap of this run: 1 of 1 payments used';
  expect(left).toMatchObject([
    { cause: 'capped', outcome: { outcome: 'unknown', reason } },
    { cause: 'capped', outcome: { outcome: 'unknown', reason } },
  ]);
  expect(words(outcomes)).toEqual({ paid: 1, unknown: 2 });
});

it('a reward that a run calls for twice, the second time at its end, is charged once', async () => {
  const { settle, ledger } = await openSettlement({ reviews: 4 });
  const script = (_payment: unknown, call: number) => (call === 1 ? givesNoAnswer : pays);
  const payer = scriptedPayer({ script, capabilities });
  await settle(payer, { policy: ofRun(null, 2), run: 'first', concurrency: 1 });
  const [lost, other] = payer.calls.map(({ rewardId }) => rewardId);
  expect(payer.calls.map(({ rewardId }) => rewardId)).toEqual([lost, other, lost]);
  expect(await ledger.budgets('run first')).toMatchObject([{ reservedCount: 0, spentCount: 2 }]);
});

it('the cap of a run is exact, however many unknown payments it takes up at once', async () => {
  const { settle, unknown } = await openWorld({ reviews: 40, concurrency: 16 });
  expect(unknown.length).toBeGreaterThan(7);
  const payer = scriptedPayer({ capabilities });
  await settle(payer, { policy: ofRun(null, 7), concurrency: 16 });
  expect(calledFor(payer)).toHaveLength(7);
  expect(payer.calls).toHaveLength(7);
  expect(mostEffects(payer)).toBe(1);
});

it('a payment is charged to one day, whichever runs call for it', async () => {
  const { settle, ledger, clock, unknown } = await openWorld();
  await clock.sleep(dayMs);
  const payer = scriptedPayer({ capabilities });
  await settle(payer, { policy: { ...openPolicy, maxPerDay: 1n } });
  expect(calledFor(payer)).toEqual(unknown);
  expect(await ledger.budgets('day ')).toMatchObject([{ reservedCount: 0, spentCount: 4 }]);
});

it('a reward that three runs call for, two of which are killed, is paid once, charged to each, and leaves a valid ledger', async () => {
  const { settle, ledger } = await openSettlement({ reviews: 1 });
  let isKilled = false;
  const change: Ledger['change'] = async (...asked) => {
    if (isKilled) throw new Error('killed');
    return ledger.change(...asked);
  };
  const script = (_payment: unknown, call: number) => {
    isKilled = call < 3;
    return pays;
  };
  const payer = scriptedPayer({ script, capabilities });
  for (const run of ['one', 'two', 'three']) {
    isKilled = false;
    await settle(payer, { run, policy: ofRun(null, 1), ledger: { ...ledger, change } });
    expect(await wrongIn(ledger)).toEqual([]);
  }
  expect(payer.calls).toHaveLength(3);
  expect(mostEffects(payer)).toBe(1);
  const spent = (await ledger.budgets('')).map(({ scope, spentCount }) => [
    scope.split(' ', 2)[0],
    spentCount,
  ]);
  expect(spent).toEqual([
    ['day', 1],
    ['member', 1],
    ['run', 1],
    ['run', 1],
    ['run', 1],
  ]);
});
