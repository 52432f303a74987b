import { expect, it } from 'vitest';
import { type Transport, TransportError } from '../../src/contract/wire.ts';
import { resolve } from '../../src/settle/rules/transitions.ts';
import { openSettlement, type SettlementWorld, statuses } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

/*
 * A report follows the paid terms, even if the service shows other terms under the same id between payment and report.
 */

type Change = (world: SettlementWorld) => void;

/** Changes of every reward: another amount, another member, or another order of the same member. */
const changes: Readonly<Record<'amount' | 'member' | 'order', Change>> = {
  amount: ({ sandbox }) =>
    sandbox.transact(({ state: { rewards } }) => {
      for (const reward of rewards.values()) rewards.put({ ...reward, amount: reward.amount + 400 });
    }),
  member: ({ sandbox }) =>
    sandbox.transact(({ state: { orders } }) => {
      for (const order of orders.values()) orders.put({ ...order, memberOriginId: 'another-member' });
    }),
  order: ({ sandbox }) =>
    sandbox.transact(({ state: { orders } }) => {
      for (const order of orders.values()) orders.put({ ...order, originId: `another-${order.originId}` });
    }),
};

/** A paid reward whose report was lost, either the reply only (`isLanded`) or the request. */
async function openUnreported({ isLanded }: { readonly isLanded: boolean }) {
  const link = { isDown: true };
  const around =
    (transport: Transport): Transport =>
    async (request, signal) => {
      if (request.method === 'GET' || !link.isDown) return transport(request, signal);
      if (isLanded) await transport(request, signal);
      throw new TransportError('socket hang up', true);
    };
  const world = await openSettlement({ reviews: 1, around });
  const payer = scriptedPayer({});
  const { outcomes } = await world.settle(payer);
  expect(outcomes).toMatchObject([{ outcome: 'paid', report: 'sent' }]);
  link.isDown = false;
  const updates = () => world.requests.filter(({ method }) => method !== 'GET').length;
  return { ...world, payer, updates };
}

it.each([
  ['amount', false],
  ['member', true],
  ['order', false],
] as const)(
  'another %s than was paid is a conflict, and is reported nothing (listed as SUCCESS already: %s)',
  async (name, isLanded) => {
    const world = await openUnreported({ isLanded });
    changes[name](world);
    const before = { updates: world.updates(), statuses: statuses(world.sandbox) };
    for (const run of ['second', 'third']) {
      const { outcomes } = await world.settle(world.payer, { run });
      expect(outcomes).toMatchObject([{ outcome: 'paid', report: 'conflict' }]);
      expect(outcomes[0]?.reason).toMatch(
        /^.+ to .+ is paid; the service now (waits for|says SUCCESS for) .+ to .+ under the same id; nothing was reported$/,
      );
    }
    expect({ updates: world.updates(), statuses: statuses(world.sandbox) }).toEqual(before);
    expect(world.payer.calls).toHaveLength(1);
  },
);

it('a conflict ends when the service shows again what was paid', async () => {
  const world = await openUnreported({ isLanded: false });
  changes.amount(world);
  await world.settle(world.payer);
  world.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of rewards.values()) rewards.put({ ...reward, amount: reward.amount - 400 });
  });
  expect((await world.settle(world.payer)).outcomes).toMatchObject([{ report: 'confirmed' }]);
});

it('a conflict that a person accepted concerns no later run, until the service shows something else', async () => {
  const world = await openUnreported({ isLanded: false });
  changes.amount(world);
  const { outcomes } = await world.settle(world.payer, { run: 'second' });
  const [{ rewardId } = { rewardId: '' }] = outcomes;
  const finding = { kind: 'accepted', reason: 'agreed with the shop' } as const;
  const entry = await world.ledger.find(rewardId);
  await world.ledger.change(rewardId, resolve(entry?.attempt ?? 0, finding, world.payer.capabilities), {
    by: 'person',
  });
  const before = world.updates();
  for (const run of ['third', 'fourth']) {
    const later = await world.settle(world.payer, { run });
    expect(later.outcomes).toMatchObject([{ outcome: 'paid', report: 'confirmed' }]);
  }
  expect(world.updates()).toBe(before);
  changes.amount(world);
  const changed = await world.settle(world.payer, { run: 'fifth' });
  expect(changed.outcomes).toMatchObject([{ outcome: 'paid', report: 'conflict' }]);
});
