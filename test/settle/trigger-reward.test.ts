import { expect, it } from 'vitest';
import type { ObservedReward } from '../../src/settle/flow/reward-service.ts';
import { triggerReward } from '../../src/settle/flow/settle-reward.ts';
import { observe } from '../../src/settle/rules/transitions.ts';
import type { Observation } from '../../src/store/ledger/ledger.ts';
import { observation } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const hourMs = 3_600_000;

/** Triggers R1; the service shows it in these states in turn, and the ledger has known it for an hour if `isKnown`. */
async function trigger(
  shown: readonly (Partial<Observation> | undefined)[],
  { isKnown = false }: { readonly isKnown?: boolean } = {},
) {
  const { settlement, ledger, clock } = await openSettlement({ reviews: 0 });
  const seenNow = (changes: Partial<Observation>): ObservedReward => ({
    rewardId: 'R1',
    seen: observation({ atMs: clock.now(), ...changes }),
  });
  if (isKnown) await ledger.change('R1', observe('R1', seenNow({}).seen), { by: 'earlier' });
  await clock.sleep(hourMs);
  const payer = scriptedPayer({});
  const left = [...shown];
  const service = {
    ...settlement(payer).service,
    find: async () => {
      const next = left.shift();
      return next && seenNow(next);
    },
    update: async () => seenNow({ status: 'SUCCESS' }),
  };
  const end = await triggerReward(settlement(payer, { service }), 'R1').catch((error: unknown) => ({
    error,
  }));
  return { end, calls: payer.calls.map(({ amount }) => amount), entry: await ledger.find('R1') };
}

const list = 'list the waiting rewards: reviewctl rewards list --status QUEUED -o ids';

it.each<[what: string, shown: Partial<Observation> | undefined, kind: string, message: string]>([
  ['the service does not show', undefined, 'not-found', 'the service shows no reward R1'],
  ['is settled', { status: 'SUCCESS' }, 'refused', 'reward R1 does not wait for payment: it is SUCCESS'],
  [
    'is without a status',
    { status: '' },
    'refused',
    'reward R1 does not wait for payment: it is without a status',
  ],
])('a reward that %s is not paid on request, nor kept', async (_, shown, kind, message) => {
  const { end, calls, entry } = await trigger([shown]);
  expect(end).toMatchObject({ error: { kind, message } });
  expect(String((end as { error: { hint: unknown } }).error.hint)).toBe(list);
  expect({ calls, entry }).toEqual({ calls: [], entry: undefined });
});

it.each<
  [what: string, isKnown: boolean, shown: readonly (Partial<Observation> | undefined)[], paid: bigint[]]
>([
  ['waits', false, [{}], [5_000_000n]],
  ['waits, and is known with another amount', true, [{ amount: 1n }], [1n]],
  ['is known, and not shown at first', true, [undefined, { amount: 2n }], [2n]],
  ['is known, and not shown', true, [], []],
  ['is known, and is settled', true, [{ status: 'SUCCESS' }], []],
])('a reward that %s is paid on request as the service shows it now', async (_, isKnown, shown, paid) => {
  const { end, calls } = await trigger(shown, { isKnown });
  expect(calls).toEqual(paid);
  expect(end).toMatchObject({ outcome: { outcome: paid.length > 0 ? 'paid' : 'waiting' } });
});
