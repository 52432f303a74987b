import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, environmentAt, expectEnd, expectNothing, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
let sandbox: ServedSandbox;
let ordersBefore = 0;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, products: 5 });
  ordersBefore = sandbox.sandbox.transact(({ state }) => state.orders.size);
});
afterAll(() => sandbox.close());

const header = 'orderOriginId,originId,productOriginId,orderedAt,status,paidPrice,shipment.trackingNumber';
let orders = 0;

function pushOrder(lastCells: string, ...flags: string[]) {
  orders += 1;
  const path = join(folder, 'orders.csv');
  writeFileSync(path, `${header}\nO-${orders},I-${orders},P-1,${lastCells}\n`);
  return runInProcess([`orders push ${path} -o count`, ...flags], {
    env: env(),
  });
}

const env = () => environmentAt(folder, sandbox);

const wholeOrders = "-c 'create-orders=POST /admin/v2/orders/bulk'";
const without = '--without-order-fields';

test.each([
  ['a push', []],
  ['a dry run', ['--dry-run']],
  ['a plan', ['--plan-out', join(folder, 'refused.plan')]],
])('%s that would lose fields of orders for good is refused with the choice', async (_, flags) => {
  const { stderr } = expectNothing(await pushOrder('2026-11-20 09:12,,6300,1Z', ...flags), 3);
  const [error, hint, ...commands] = stderr.trimEnd().split('\n');
  expect(error).toBe(
    'error: orderedAt: sent only with whole orders, and no later push can add them; nothing was sent',
  );
  expect(hint).toContain('choose one of these commands');
  const path = join(folder, 'orders.csv');
  expect(commands).toEqual(
    ["-c 'create-orders=POST /admin/v2/orders/bulk'", without].map(
      (flag) => `  ${['reviewctl orders push', path, '-o count', ...flags, flag].join(' ')}`,
    ),
  );
  expect(sandbox.sandbox.transact(({ state }) => state.orders.size)).toBe(ordersBefore);
});

test('the commands of the choice keep the settings that are in force', async () => {
  const path = join(folder, 'orders.csv');
  const getJob = 'get-job=GET /admin/v2/job/{jobId}';
  const { stderr } = await runInProcess(`orders push ${path}`, {
    env: { ...env(), REVIEWCTL_GET_JOB: getJob.slice('get-job='.length) },
  });
  expect(stderr).toContain(
    `orders push ${path} -c '${getJob}' -c 'create-orders=POST /admin/v2/orders/bulk'\n`,
  );
});

test('inspect names the setting of the choice as -c takes it', async () => {
  const path = join(folder, 'orders.csv');
  const { stdout } = await runInProcess(`orders inspect ${path} -o ndjson`, { env: env() });
  expect(JSON.parse(stdout).unsent.choice.setting).toBe('create-orders=POST /admin/v2/orders/bulk');
});

test('orders that would lose their members are refused with what that costs', async () => {
  const path = join(folder, 'members.csv');
  writeFileSync(path, 'orderOriginId,originId,productOriginId,memberOriginId\nM,I,P-1,m-77\n');
  expectEnd(
    await runInProcess(`orders push ${path}`, { env: env() }),
    3,
    'orders without a member earn no rewards',
  );
});

test('what is to be left out is named in one warning, and the rest goes out', async () => {
  const { stdout, stderr } = expectEnd(await pushOrder('2026-11-20 09:12,,6300,1Z', without), 0);
  expect(stdout).toBe('1\n');
  const [warning, ofItems] = stderr.split('\n');
  expect(warning).toBe(
    'warning: not sent, because the operation does not document them: paidPrice, shipment.trackingNumber, orderedAt',
  );
  expect(ofItems).toBe(
    'hint: paidPrice, shipment.trackingNumber: later with reviewctl order-items push, or now with -c bulk-extra-fields=taken if your service accepts them',
  );
});

test('order fields are sent, and not warned of, where whole orders are created', async () => {
  expectEnd(
    await pushOrder('2026-11-20 09:12,,6300,', wholeOrders),
    0,
    'document them: paidPrice\n',
    'hint: paidPrice: later with reviewctl order-items push',
  );
});

test('fields of orders are not both left out and sent', async () => {
  expectEnd(
    await pushOrder('2026-11-20 09:12,,,', without, wholeOrders),
    2,
    '--without-order-fields contradicts createOrders',
  );
});

test('a column without a value is not warned of', async () => {
  const { stderr } = expectEnd(await pushOrder(',,,'), 0);
  expect(stderr).not.toContain('warning');
});

test('what was left out for good stays so once whole orders are created: its items are skipped', async () => {
  await pushOrder('2026-11-20 09:12,,,', without);
  orders -= 1;
  const again = await pushOrder('2026-11-20 09:12,,,', wholeOrders, '--set memberOriginId=m-1 -o ndjson');
  const { stdout } = expectEnd(again, 0, `are not sent, first O-${orders}:`, 'reviewctl orders update');
  expect(stdout).toContain('skipped');
});

test('inspect shows the records as the push that it prints sends them, and what would stay out', async () => {
  const path = join(folder, 'inspected.csv');
  writeFileSync(path, `${header}\nO,I,P-1,2026-11-20T09:12:00+09:00,DELIVERED,6300,\n`);
  const inspect = async (expected: number, ...flags: string[]) => {
    const { stdout } = expectEnd(
      await runInProcess([`orders inspect ${path} -o json`, ...flags], {
        env: cleanEnvironment(folder),
      }),
      expected,
    );
    return JSON.parse(stdout) as {
      wouldPush: boolean;
      first: readonly { record: object }[];
      unsent?: { fields: readonly string[] };
      commands: readonly string[];
    };
  };
  const ids = { orderOriginId: 'O', originId: 'I', productOriginId: 'P-1' };
  const plain = await inspect(3);
  expect(plain.first[0]?.record).toEqual(ids);
  expect(plain.unsent?.fields).toEqual(['status', 'paidPrice', 'orderedAt']);
  expect(plain.wouldPush).toBe(false);
  expect(plain.commands).toEqual([
    `reviewctl orders push ${path} -c 'create-orders=POST /admin/v2/orders/bulk'`,
    `reviewctl orders push ${path} ${without}`,
  ]);
  const whole = await inspect(0, wholeOrders);
  expect(whole.first[0]?.record).toEqual({ ...ids, orderedAt: '2026-11-20T09:12:00+09:00' });
  const all = await inspect(0, wholeOrders, '-c bulk-extra-fields=taken');
  expect(all).not.toHaveProperty('unsent');
  expect(all.first[0]?.record).toMatchObject({ ...ids, status: 'DELIVERED', paidPrice: '6300' });
  expect(all.commands).toEqual([
    `reviewctl orders push ${path} -c 'create-orders=POST /admin/v2/orders/bulk' -c bulk-extra-fields=taken`,
  ]);
});
