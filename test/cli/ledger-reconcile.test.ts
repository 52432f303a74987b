import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatMoney, type JsonMoney, moneyOfJson } from '../../src/base/money.ts';
import { balanceOf } from './booking-balance.ts';
import { type LedgerShop, openPayingShop, records } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

/** A shop with paid and reported rewards. */
async function openSettled({ reviews = 8 } = {}) {
  const shop = await openPayingShop({ reviews });
  expectEnd(await shop.settle(), 0);
  return { ...shop, members: await shop.memberRewards() };
}

/** Runs `ledger reconcile`; returns its exit code and each difference as printed. */
async function reconcile({ run }: LedgerShop, ...flags: readonly string[]) {
  const { exitCode, stdout, stderr } = await run(['ledger reconcile', ...flags]);
  return { exitCode, differences: records(stdout), stderr };
}

/** From now on the service shows the order of this reward with another member. */
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
  const [shown] = recordsIn(await shop.run(`ledger show ${first}`));
  changeMember(shop, first, member);
  const { differences } = expectEnd(await reconcile(shop, '--kind member-differs'), 6);
  const others = `no differences of --kind unknown; ${differences.length} of other kinds\n`;
  expectEnd(await reconcile(shop, '--kind unknown'), 0, others);
  expect(differences.find(({ rewardId }) => rewardId === first)).toMatchObject({
    kind: 'member-differs',
    payment: 'paid',
    status: 'SUCCESS',
    message: `it is paid for member ${String(shown?.['memberOriginId'])}, the service now names ${named}`,
    next: `reviewctl ledger show ${first}`,
  });
});

/** A payment as `ledger list` prints it. */
type Listed = Readonly<Record<string, unknown>>;

async function listed({ run }: LedgerShop, payment: string): Promise<readonly Listed[]> {
  return recordsIn(await run(`ledger list --payment ${payment}`));
}

/** A statement with these rows: a payment, and the factor of its amount. */
function statementOf({ write }: LedgerShop, rows: readonly (readonly [payment: Listed, times: number])[]) {
  const lines = rows.map(([{ key, amount }, times]) => `${String(key)},${times * Number(amount)}`);
  return ['--payer-statement', write('statement.csv', ['key,amount', ...lines, ''].join('\n'))];
}

const reversal = 'the statement reverses this payment';

it('a payment that the payer took back is a difference until the command that it names books it', async () => {
  const shop = await openSettled();
  const paid = await listed(shop, 'paid');
  const [first = {}, ...others] = paid;
  const rewardId = String(first['rewardId']);
  const both = statementOf(shop, [...paid.map((one) => [one, 1] as const), [first, -1]]);
  const found = await reconcile(shop, ...both);
  const next = `reviewctl ledger resolve ${rewardId} --reversed --ref …`;
  expect(found).toMatchObject({
    exitCode: 6,
    differences: [{ kind: 'not-in-statement', rewardId, message: reversal, next }],
  });
  const command = next.replace('reviewctl ', '').replace('…', 'B-1').split(' ');
  expectEnd(await shop.run(command), 2);
  const booked = expectEnd(
    await shop.run([...command, "--reason 'the order was cancelled' --yes"]),
    0,
    /^1 reward recorded as taken back by the payer\n$/,
  );
  expect(records(booked.stdout)).toMatchObject([{ rewardId, resolution: 'resolved', payment: 'paid' }]);
  expect(await reconcile(shop, ...both)).toMatchObject({ exitCode: 0, differences: [] });
  for (const rows of [paid.map((one) => [one, 1] as const), others.map((one) => [one, 1] as const)])
    expect(await reconcile(shop, ...statementOf(shop, rows))).toMatchObject({ exitCode: 0, differences: [] });
  expectEnd(await shop.settle(), 0);
  expect(shop.paid()).toHaveLength(paid.length);
});

it('a reversal in the statement of a later period is a difference until it is booked', async () => {
  const shop = await openSettled();
  const [first = {}] = await listed(shop, 'paid');
  const rewardId = String(first['rewardId']);
  const later = [
    ...statementOf(shop, [
      [first, -1],
      [{ key: 'other', amount: 5 }, 1],
    ]),
    '--statement-start 2030-01-01',
  ];
  const kinds = async () => (await reconcile(shop, ...later)).differences.map(({ kind }) => kind);
  expect(await kinds()).toEqual(['not-in-statement', 'not-in-ledger']);
  await shop.run(`ledger resolve ${rewardId} --reversed --ref B-1 --yes`);
  expect(await kinds()).toEqual(['not-in-ledger']);
});

it('a reversal with a receipt of its own is a difference until it is booked with that receipt', async () => {
  const shop = await openSettled();
  const paid = await listed(shop, 'paid');
  const [{ rewardId = '', amount = 0 } = {}] = paid;
  const rows = paid.map((one) => `${String(one['rewardId'])},,${String(one['amount'])}`);
  const back = `,B-1,-${String(amount)}`;
  const file = shop.write('statement.csv', ['rewardId,ref,amount', ...rows, back, ''].join('\n'));
  const found = await reconcile(shop, '--payer-statement', file);
  expect(found).toMatchObject({ exitCode: 6, differences: [{ kind: 'not-in-ledger', rewardId: null }] });
  expectEnd(await shop.run(`ledger resolve ${String(rewardId)} --reversed --ref B-1 --yes`), 0);
  expect(await reconcile(shop, '--payer-statement', file)).toMatchObject({ exitCode: 0, differences: [] });
});

it('bookings, status and month show what the payer took back, and agree', async () => {
  const shop = await openSettled();
  const [first = {}, second = {}] = await listed(shop, 'paid');
  const ids = [first, second].map(({ rewardId }) => String(rewardId));
  await shop.run(['ledger resolve', ...ids, '--reversed --ref B-1 --yes']);
  const amount = Number(first['amount']) + Number(second['amount']);
  const [status = {}] = recordsIn(await shop.run('ledger status'));
  expect(status['reversed']).toEqual({ count: 2, amount });
  const states = status['states'] as readonly { readonly payment: string; readonly amount: JsonMoney }[];
  const paid = states.find(({ payment }) => payment === 'paid')?.amount ?? 0;
  const { stdout: csv } = await shop.run('ledger export');
  expect(balanceOf(csv)['expenses:rewards:paid']).toBe(formatMoney(moneyOfJson(paid) - moneyOfJson(amount)));
  expect(
    csv.split('\n').filter((line) => line.includes(',reversed,assets:payer,expenses:rewards:paid,')),
  ).toHaveLength(2);
  const table = await shop.run('ledger status -o table');
  expect(table.stdout).toMatch(/\nreversed {2}2 rewards \([\d,.]+\) taken back by the payer\n/);
  expectEnd(await shop.run('report ledger --out month.html'), 0);
  const html = readFileSync(join(shop.folder, 'month.html'), 'utf8');
  expect(html).toContain('Taken back');
  expectEnd(await shop.run('ledger verify'), 0);
});

it('a payment is taken back once, also by two persons at the same time', async () => {
  const shop = await openSettled();
  const [first = {}] = await listed(shop, 'paid');
  const rewardId = String(first['rewardId']);
  const resolve = (ref: string) => shop.run(`ledger resolve ${rewardId} --reversed --ref ${ref} --yes`);
  const both = await Promise.all([resolve('B-1'), resolve('B-2')]);
  expect(both.map(({ exitCode }) => exitCode).toSorted((one, other) => Number(one) - Number(other))).toEqual([
    0, 6,
  ]);
  expect(await resolve('B-3')).toMatchObject({
    exitCode: 6,
    stdout: expect.stringContaining('"next":"it was taken back already"'),
  });
  const { stdout } = await shop.run('ledger export');
  expect(stdout.split('\n').filter((line) => line.includes(',reversed,'))).toHaveLength(1);
  const [shown] = recordsIn(await shop.run(`ledger show ${rewardId}`));
  expect(shown?.['reason']).toMatch(/^taken back by the payer: B-[12]$/);
  expect(shown).toMatchObject({ payment: 'paid', report: 'confirmed' });
});

it.each([
  ['refused', 10, 6, 'it is refused, and only a payment can be taken back'],
  ['unknown', 3, 11, 'it is unknown, and only a payment can be taken back'],
  ['intended', 75, 5, 'it is intended, and only a payment can be taken back'],
])('a reward that is %s cannot be taken back, and nobody is asked', async (payment, code, exitCode, next) => {
  const shop = await openPayingShop({ reviews: 4 });
  expectEnd(await shop.settle(code), exitCode);
  const [{ rewardId } = {}] = await listed(shop, payment);
  const resolve = (...more: readonly string[]) =>
    shop.run(['ledger resolve', String(rewardId), '--reversed', ...more]);
  expect((await resolve()).stderr).toContain('--reversed needs the receipt of the reversal');
  const kept = expectEnd(await resolve('--ref B-1'), 6);
  expect(records(kept.stdout)).toMatchObject([{ resolution: 'kept', payment, next }]);
});
