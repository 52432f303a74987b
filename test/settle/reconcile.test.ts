import { expect, it } from 'vitest';
import { differenceKinds, reconcile } from '../../src/settle/manual/reconcile.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const always = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

it('a reward of a member that the service gave up and nobody paid is named, one of a guest is not', async () => {
  const { settle, sandbox, ledger, settlement } = await openSettlement({ reviews: 40 });
  await settle();
  const { state } = sandbox;
  const orderOf = (orderItemId: string) => state.orders.get(state.orderItems.get(orderItemId)?.orderId ?? '');
  const guests = [...state.rewards.values()].filter(({ status }) => status === 'QUEUED');
  const [order] = [...state.orders.values()].filter(({ memberOriginId }) => memberOriginId);
  const [guest, ...others] = guests;
  const owed = others.map(({ orderItemId }) => orderOf(orderItemId)).find((of) => of !== undefined);
  sandbox.transact(({ state }) => {
    for (const reward of guests) state.rewards.put({ ...reward, status: 'FAILURE' });
    if (owed) state.orders.put({ ...owed, memberOriginId: order?.memberOriginId ?? null });
  });
  const { service } = settlement(scriptedPayer({}));
  const found = [];
  for await (const { kind, rewardId } of reconcile(ledger, service, always)) found.push({ kind, rewardId });
  const given = guests.filter(({ orderItemId }) => orderOf(orderItemId)?.memberOriginId);
  expect(guest).toBeDefined();
  expect(given.length).toBeGreaterThan(0);
  expect(found.toSorted((a, b) => (a.rewardId ?? '').localeCompare(b.rewardId ?? ''))).toEqual(
    given
      .map(({ id }) => ({ kind: 'given-up', rewardId: id }))
      .toSorted((a, b) => a.rewardId.localeCompare(b.rewardId)),
  );
});

it('an id that a shell would read otherwise is one word of the next command', async () => {
  const { ledger, settlement } = await openSettlement({ reviews: 4 });
  const { service } = settlement(scriptedPayer({}));
  async function* all() {
    for await (const page of service.all()) {
      yield page.slice(0, 1).map(({ seen }) => ({
        rewardId: '7; $(x)',
        seen: { ...seen, status: 'SUCCESS', document: '{}' },
      }));
    }
  }
  const next = [];
  for await (const difference of reconcile(ledger, { ...service, all }, always))
    next.push(String(difference.next));
  expect(next).toEqual(["reviewctl rewards get '7; $(x)'"]);
});

it('each kind of difference has words of its own', () => {
  const words = Object.values(differenceKinds);
  expect(words.filter((text) => /\w/.test(text))).toEqual([...new Set(words)]);
});
