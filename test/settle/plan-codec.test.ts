import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { paymentRecord, planTotals, readPaymentPlan } from '../../src/settle/rules/plan-codec.ts';
import { openPlanFile } from '../../src/store/plans/open-plan-file.ts';
import { createPlanFile } from '../../src/store/plans/plan-file.ts';
import { temporaryFolder } from '../push/open-push.ts';

const ledger = { id: 'L', acceptance: null, seq: 0, seal: '' };
const about = { origin: 'https://service.example', shop: 'shop', account: 'a', payer: 'p', ledger };
const payment = {
  rewardId: 'R1',
  amount: 500,
  memberOriginId: 'M1',
  order: { id: '7' },
  key: 'k',
  attempt: 0,
};

/** Reads a plan of these lines with a valid hash. */
async function read(
  lines: readonly string[],
  {
    totals = { amount: 500 },
    heading = about,
  }: { readonly totals?: JsonObject; readonly heading?: JsonObject } = {},
) {
  const path = join(temporaryFolder(), 'today.plan');
  await createPlanFile(path, { kind: 'rewards', createdAtMs: 1, about: heading }, async (add) => {
    for (const line of lines) add(line);
    return totals;
  });
  const file = await openPlanFile(path);
  try {
    return await readPaymentPlan(file);
  } finally {
    await file.close();
  }
}

it('payments come back exactly, amounts of four decimals and the largest ones too', async () => {
  const large = { ...payment, rewardId: 'R2', amount: '99999999999.0001' };
  const lines = [{ ...payment, amount: 0.5 }, large].map((one) => JSON.stringify(one));
  const plan = await read(lines, { totals: { amount: 99999999999.5001 } });
  expect(plan).toMatchObject({ subject: about, total: 999_999_999_995_001n });
  expect([...plan.payments.values()].map(({ amount }) => amount)).toEqual([5_000n, 999_999_999_990_001n]);
});

it.each([
  ['no JSON', ['{'], {}, 'payment 1: ✖ Invalid input'],
  ['no payment in its second line', [JSON.stringify(payment), '7'], {}, 'payment 2: ✖ Invalid input'],
  [
    'a field that no plan has',
    [JSON.stringify({ ...payment, to: 'M2' })],
    {},
    'payment 1: ✖ Unrecognized key',
  ],
  ['no member', [JSON.stringify({ ...payment, memberOriginId: null })], {}, 'payment 1: ✖ Invalid input'],
  ['no order', [JSON.stringify({ ...payment, order: [] })], {}, 'payment 1: ✖ Invalid input'],
  ['a part of an attempt', [JSON.stringify({ ...payment, attempt: 0.5 })], {}, 'payment 1: ✖ Invalid input'],
  ['fewer attempts than none', [JSON.stringify({ ...payment, attempt: -1 })], {}, 'payment 1: ✖ Too small'],
  ...[0, -500, 'much'].map(
    (amount) =>
      [
        `an amount of ${amount}`,
        [JSON.stringify({ ...payment, amount })],
        { totals: { amount } },
        'payment 1: ✖ expected an amount above zero',
      ] as const,
  ),
  [
    'a reward twice',
    [JSON.stringify(payment), JSON.stringify(payment)],
    { totals: { amount: 1000 } },
    'it names reward R1 twice',
  ],
  [
    'another total',
    [JSON.stringify(payment)],
    { totals: { amount: 400 } },
    'its total is not the sum of its payments',
  ],
  [
    'no ledger',
    [JSON.stringify(payment)],
    { heading: { ...about, ledger: null } },
    'its heading: ✖ Invalid input',
  ],
] as const)('a plan with %s is refused, though its hash is right', async (_, lines, rest, why) => {
  await expect(read(lines, rest)).rejects.toMatchObject({
    kind: 'input',
    message: expect.stringMatching(new RegExp(`^the plan .* was edited or damaged: ${why}`)),
    hint: 'nothing was paid; make a new one: reviewctl rewards settle --plan-out FILE',
  });
});

it('a payment is written with its amount beside its reward, and a plan with its total', () => {
  const planned = { ...payment, amount: 5_000_000n };
  expect(JSON.stringify(paymentRecord(planned))).toBe(JSON.stringify(payment));
  expect(planTotals([planned, { ...planned, amount: 5_000n }])).toEqual({ amount: 500.5 });
});
