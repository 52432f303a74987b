import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { readPaymentPlan } from '../../src/settle/rules/plan-codec.ts';
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

/** Reads a plan of these lines, whose hash is right whatever they say. */
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
  ['no JSON', ['{'], {}],
  ['a field that no plan has', [JSON.stringify({ ...payment, to: 'M2' })], {}],
  ['no member', [JSON.stringify({ ...payment, memberOriginId: null })], {}],
  ['an amount of zero', [JSON.stringify({ ...payment, amount: 0 })], { totals: { amount: 0 } }],
  ['an amount below zero', [JSON.stringify({ ...payment, amount: -500 })], { totals: { amount: -500 } }],
  ['a reward twice', [JSON.stringify(payment), JSON.stringify(payment)], { totals: { amount: 1000 } }],
  ['another total', [JSON.stringify(payment)], { totals: { amount: 400 } }],
  ['no ledger', [JSON.stringify(payment)], { heading: { ...about, ledger: null } }],
])('a plan with %s is refused, though its hash is right', async (_, lines, rest) => {
  await expect(read(lines, rest)).rejects.toMatchObject({
    kind: 'input',
    message: expect.stringContaining('was edited or damaged'),
  });
});
