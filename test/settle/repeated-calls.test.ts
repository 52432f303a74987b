import { expect, it } from 'vitest';
import type { Policy } from '../../src/settle/rules/policy.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { wrongIn } from '../store/ledger-suite.ts';
import { openPolicy } from './open-policy.ts';
import { mostEffects, openMembers, openSettlement, words } from './open-settlement.ts';
import { type CallScript, pays, scriptedPayer } from './scripted-payer.ts';

/*
 * If the payer honours keys, a later run repeats a call whose answer was lost. The caps of that run apply to it as to
 * any other call.
 */

const capabilities = { idempotentForMs: 24 * 3_600_000 };
const givesNoAnswer: CallScript = {
  isEffective: false,
  answer: { kind: 'ambiguous', message: 'no answer' },
};

const ofRun = (count: number): Policy => ({ ...openPolicy, maxPerRun: { amount: null, count } });

it('a run that may call once calls once, though three payments are unknown; the others stay unknown', async () => {
  const { settle, rewardIds } = await openMembers();
  const script = (_payment: unknown, call: number) => (call === 1 ? pays : givesNoAnswer);
  const before = await settle(scriptedPayer({ script, capabilities }), { concurrency: 1 });
  expect(words(before.outcomes)).toEqual({ paid: 1, unknown: 3 });
  const unknown = rewardIds.slice(1);
  const payer = scriptedPayer({ capabilities });
  const policy = ofRun(1);
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
  await settle(payer, { policy: ofRun(2), run: 'first', concurrency: 1 });
  const [lost, other] = payer.calls.map(({ rewardId }) => rewardId);
  expect(payer.calls.map(({ rewardId }) => rewardId)).toEqual([lost, other, lost]);
  expect(await ledger.budgets('run first')).toMatchObject([{ reservedCount: 0, spentCount: 2 }]);
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
    await settle(payer, { run, policy: ofRun(1), ledger: { ...ledger, change } });
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
