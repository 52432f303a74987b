import { expect, it } from 'vitest';
import type { RewardStatus } from '../../src/contract/states.ts';
import { syncQueued } from '../../src/settle/flow/sync-queued.ts';
import { openSettlement } from './open-settlement.ts';
import { pays, scriptedPayer } from './scripted-payer.ts';

/** A run that expects `count` payments. Another run lists four more rewards at its first payment. */
async function settleExpecting(count: number | null) {
  const { settle, settlement, sandbox, clock } = await openSettlement({ reviews: 20 });
  const late = [...sandbox.state.rewards.values()].filter(({ status }) => status === 'QUEUED').slice(-4);
  const put = (status: RewardStatus) =>
    sandbox.transact(({ state }) => {
      for (const reward of late) state.rewards.put({ ...reward, status });
    });
  put('CANCELLED');
  let isFirst = true;
  const payer = scriptedPayer({
    script: async () => {
      if (isFirst) {
        isFirst = false;
        put('QUEUED');
        await clock.sleep(1);
        await syncQueued(settlement(scriptedPayer({}), { run: 'other' }));
      }
      return pays;
    },
  });
  const { error } = await settle(payer, { expectation: { total: null, count } });
  const first = payer.calls.length;
  await settle(payer);
  return { error, first, all: payer.calls.length };
}

it('a run that expects a number of payments makes no other, whatever is listed meanwhile; the next one does', async () => {
  const { error } = await settleExpecting(999);
  const due = Number(/but (\d+) rewards/.exec(String(error))?.[1]);
  expect(due).toBeGreaterThan(4);
  expect(await settleExpecting(due)).toEqual({ error: undefined, first: due, all: due + 4 });
  expect(await settleExpecting(null)).toEqual({ error: undefined, first: due + 4, all: due + 4 });
});
