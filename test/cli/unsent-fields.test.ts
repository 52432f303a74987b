import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, runCli, temporaryFolder } from './run-cli.ts';

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
  return runCli(['orders', 'push', path, '-o', 'count', ...flags], {
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
  const [warning, hint] = stderr.split('\n');
  expect(warning).toBe(
    'warning: not sent, because the operation does not document them: paidPrice, shipment.trackingNumber, orderedAt',
  );
  expect(hint).toBe(
    "hint: if your service creates whole orders, orderedAt can go out: --assume 'createOrders=POST /admin/v2/orders/bulk'; paidPrice, shipment.trackingNumber can go out with --send-extra-fields if your service takes them, or later: order-items push",
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
  expect(stderr).toContain('hint: paidPrice can go out with --send-extra-fields');
});

test('a column without a value is not warned of', async () => {
  const { exitCode, stderr } = await pushOrder(',,,');
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('warning');
});
