import { expect, it } from 'vitest';
import { SkippingClock } from '../client/skipping-clock.ts';
import { openPayingShop, records } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

const hourMs = 3_600_000;
const beganMs = new SkippingClock().now();

/** Exit codes of a payer. */
const isPaid = 0;
const isLost = 3;
const isRefused = 10;
const isPostponed = 75;

/** A shop with one due reward and an idempotent payer whose records lag by six hours. */
async function openOwing() {
  const shop = await openPayingShop({ reviews: 1 });
  shop.served.sandbox.transact(({ state: { orders } }) => {
    for (const order of orders.values()) orders.put({ ...order, memberOriginId: 'M1' });
  });
  const [rewardId = ''] = await shop.memberRewards();
  const settle = `rewards settle ${shop.payer} -c payer-idempotent=30d -c payer-lookup-delay=6h`;
  /** Settles this many hours after the first run, with a payer that ends each call with this exit code. */
  const settleAt = async (hours: number, code: number) => {
    shop.write('exit-code', String(code));
    const clock = new SkippingClock();
    await clock.sleep(hours * hourMs);
    const { exitCode, stdout } = await shop.run(settle, { clock });
    const [outcome] = records(stdout);
    return { exitCode, outcome: outcome?.['outcome'], reason: String(outcome?.['reason']) };
  };
  return { ...shop, settleAt, status: () => shop.statuses().get(rewardId) };
}

/** Hours from the first run until a refusal is final, by the reason of an unknown payment. */
function finalFromHours(reason: string): number {
  const [, time = ''] =
    /, but an earlier call may have paid; a refusal after (\S+) is final$/.exec(reason) ?? [];
  return (Date.parse(time) - beganMs) / hourMs;
}

it.each<[what: string, codes: readonly (readonly [hours: number, code: number])[], finalFrom: number]>([
  [
    'only refusals came',
    [
      [1, isRefused],
      [5.9, isRefused],
    ],
    6,
  ],
  [
    'the payer postponed it',
    [
      [3, isPostponed],
      [5.9, isRefused],
    ],
    6,
  ],
  [
    'another call was lost',
    [
      [1, isRefused],
      [4, isLost],
      [9.9, isRefused],
    ],
    10,
  ],
])(
  'a refusal becomes final six hours after the last lost call: since then %s',
  async (_, codes, finalFrom) => {
    const shop = await openOwing();
    expect(await shop.settleAt(0, isLost)).toMatchObject({ exitCode: 11, outcome: 'unknown' });
    for (const [hours, code] of codes) {
      const { outcome, reason } = expectEnd(await shop.settleAt(hours, code), 11);
      expect({ outcome, status: shop.status() }).toEqual({ outcome: 'unknown', status: 'QUEUED' });
      if (hours > finalFrom - 1) expect(finalFromHours(reason)).toBeCloseTo(finalFrom, 2);
    }
    expect(await shop.settleAt(finalFrom + 0.1, isRefused)).toMatchObject({
      exitCode: 6,
      outcome: 'refused',
    });
    expect(shop.status()).toBe('CANCELLED');
    const called = shop.paid().length;
    expectEnd(await shop.settleAt(finalFrom + 1, isRefused), 0);
    expect(shop.paid()).toHaveLength(called);
  },
);

it('a clock that was set back since the last call lets no lost call be repeated', async () => {
  const shop = await openOwing();
  await shop.settleAt(0, isLost);
  await shop.settleAt(20, isPostponed);
  const called = shop.paid().length;
  expect(await shop.settleAt(1, isPaid)).toMatchObject({ exitCode: 11, outcome: 'unknown' });
  expect(shop.paid()).toHaveLength(called);
  expect(await shop.settleAt(21, isPaid)).toMatchObject({ exitCode: 0, outcome: 'paid' });
});

it('a lost call that paid is found out by a repeated one, however late', async () => {
  const shop = await openOwing();
  await shop.settleAt(0, isLost);
  await shop.settleAt(1, isRefused);
  expect(await shop.settleAt(20, isPaid)).toMatchObject({ exitCode: 0, outcome: 'paid' });
  expect(shop.status()).toBe('SUCCESS');
});
