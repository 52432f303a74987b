import { expect, it } from 'vitest';
import { type LedgerShop, openLedgerShop, records } from './ledger-shop.ts';

/** A shop whose rewards are paid and reported. */
async function openSettled({ reviews = 8 } = {}) {
  const shop = await openLedgerShop({ reviews });
  await shop.run(['ledger', 'init']);
  expect((await shop.settle()).exitCode).toBe(0);
  return { ...shop, members: await shop.memberRewards() };
}

/** What `ledger reconcile` finds: its exit code, and each difference as it is printed. */
async function reconcile({ run }: LedgerShop, ...flags: readonly string[]) {
  const { exitCode, stdout, stderr } = await run(['ledger', 'reconcile', ...flags]);
  return { exitCode, differences: records(stdout), stderr };
}

/** The service shows the order of this reward with another member from now on. */
function changeMember({ served }: LedgerShop, rewardId: string, memberOriginId: string | null) {
  served.sandbox.transact(({ state }) => {
    const item = state.orderItems.get(state.rewards.get(rewardId)?.orderItemId ?? '');
    const order = state.orders.get(item?.orderId ?? '');
    if (order === undefined) throw new Error(`reward ${rewardId} has no order`);
    state.orders.put({ ...order, memberOriginId });
  });
}

it.each([
  ['another one', 'M-other', 'M-other'],
  ['none', null, 'none'],
])('a member that the service changed to %s after the payment is a difference', async (_, member, named) => {
  const shop = await openSettled({ reviews: 3 });
  const [first = ''] = shop.members;
  expect(await reconcile(shop)).toMatchObject({ exitCode: 0, differences: [] });
  const [shown] = records((await shop.run(['ledger', 'show', first])).stdout);
  changeMember(shop, first, member);
  const { exitCode, differences } = await reconcile(shop, '--kind', 'member-differs');
  expect(exitCode).toBe(6);
  expect(differences.find(({ rewardId }) => rewardId === first)).toMatchObject({
    kind: 'member-differs',
    payment: 'paid',
    status: 'SUCCESS',
    message: `it is paid for member ${String(shown?.['memberOriginId'])}, the service now names ${named}`,
    next: `reviewctl ledger show ${first}`,
  });
});
