import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
let sandbox: ServedSandbox;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, products: 5 });
});
afterAll(() => sandbox.close());

const header = 'orderOriginId,originId,productOriginId,orderedAt,status,paidPrice,shipment.trackingNumber';
let orders = 0;

function pushOrder(lastCells: string, ...flags: string[]) {
  orders += 1;
  const path = join(folder, 'orders.csv');
  writeFileSync(path, `${header}\nO-${orders},I-${orders},P-1,${lastCells}\n`);
  return runInProcess(['orders', 'push', path, '-o', 'count', ...flags], {
    env: {
      ...cleanEnvironment(folder),
      REVIEWCTL_BASE_URL: sandbox.baseUrl,
      REVIEWCTL_TOKEN: sandbox.token,
    },
  });
}

test('what the operation does not document is named in one warning, with what would send it, and the rest goes out', async () => {
  const { exitCode, stdout, stderr } = await pushOrder('2026-11-20 09:12,,6300,1Z');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1\n' });
  const [warning, ofOrders, ofItems] = stderr.split('\n');
  expect(warning).toBe(
    'warning: not sent, because the operation does not document them: paidPrice, shipment.trackingNumber, orderedAt',
  );
  expect(ofOrders).toBe(
    "hint: orderedAt: later pushes cannot add them, only reviewctl orders update, one order at a time; if your service creates whole orders, push with --assume 'createOrders=POST /admin/v2/orders/bulk' from the start",
  );
  expect(ofItems?.trim()).toBe(
    'paidPrice, shipment.trackingNumber: later with reviewctl order-items push, or now with --send-extra-fields if your service accepts them',
  );
});

test('order fields are sent, and not warned of, where whole orders are created', async () => {
  const { exitCode, stderr } = await pushOrder(
    '2026-11-20 09:12,,6300,',
    '--assume',
    'createOrders=POST /admin/v2/orders/bulk',
  );
  expect(exitCode).toBe(0);
  expect(stderr).toContain('document them: paidPrice\n');
  expect(stderr).toContain('hint: paidPrice: later with reviewctl order-items push');
});

test('a column without a value is not warned of', async () => {
  const { exitCode, stderr } = await pushOrder(',,,');
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('warning');
});

const wholeOrders = ['--assume', 'createOrders=POST /admin/v2/orders/bulk'];

test('what was held back once cannot follow by creating, and the refusal names what can still change it', async () => {
  await pushOrder('2026-11-20 09:12,,,');
  orders -= 1;
  const { exitCode, stdout } = await pushOrder('2026-11-20 09:12,,,', ...wholeOrders, '-o', 'ndjson');
  expect(exitCode).toBe(6);
  expect(stdout).toContain('which no push can change; reviewctl orders update can');
});

test('inspect shows the records as the push that it prints sends them, and what would stay out', async () => {
  const path = join(folder, 'inspected.csv');
  writeFileSync(path, `${header}\nO,I,P-1,2026-11-20T09:12:00+09:00,DELIVERED,6300,\n`);
  const inspect = async (...flags: string[]) => {
    const { stdout } = await runInProcess(['orders', 'inspect', path, '-o', 'json', ...flags], {
      env: cleanEnvironment(folder),
    });
    return JSON.parse(stdout) as {
      first: readonly { record: object }[];
      unsent?: { fields: readonly string[] };
      commands: readonly string[];
    };
  };
  const ids = { orderOriginId: 'O', originId: 'I', productOriginId: 'P-1' };
  const plain = await inspect();
  expect(plain.first[0]?.record).toEqual(ids);
  expect(plain.unsent?.fields).toEqual(['status', 'paidPrice', 'orderedAt']);
  const whole = await inspect(...wholeOrders);
  expect(whole.first[0]?.record).toEqual({ ...ids, orderedAt: '2026-11-20T09:12:00+09:00' });
  const all = await inspect(...wholeOrders, '--assume', 'bulkExtraFields=taken');
  expect(all).not.toHaveProperty('unsent');
  expect(all.first[0]?.record).toMatchObject({ ...ids, status: 'DELIVERED', paidPrice: '6300' });
  expect(all.commands).toEqual([
    `reviewctl orders push ${path} --assume 'createOrders=POST /admin/v2/orders/bulk' --assume 'bulkExtraFields=taken'`,
  ]);
});
