import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, runCli, temporaryFolder } from './run-cli.ts';

const createOrders = 'POST /admin/v2/orders/bulk';
const folder = temporaryFolder();

test('whoever settles one item of a whole order hears that the others keep it back', async () => {
  const assumptions = { ...defaultAssumptions, createOrders } as const;
  const sandbox = await serveSandbox({ port: 0, products: 5, assumptions });
  onTestFinished(() => sandbox.close());
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: sandbox.baseUrl,
    REVIEWCTL_TOKEN: sandbox.token,
  };
  const cli = (...args: string[]) => runCli(args, { env, cwd: folder });
  const push = () => cli('orders', 'push', 'items.csv', '--assume', `createOrders=${createOrders}`);
  const rows = ['I1', 'I2'].map((originId) => `O1,${originId},P1,2026-01-02T03:04:05Z`);
  writeFileSync(
    join(folder, 'items.csv'),
    `orderOriginId,originId,productOriginId,orderedAt\n${rows.join('\n')}\n`,
  );
  sandbox.sandbox.faults.rates = { 'reset-after': 1 };
  expect((await push()).exitCode).toBe(11);
  sandbox.sandbox.faults.rates = {};

  const settle = (originId: string) => cli('runs', 'resolve', 'last', '--not-sent', '--yes', originId);
  const one = await settle('I1');
  expect(one.stderr).toContain('the next push rejects the items of 1 order, first O1');
  expect((await settle('I2')).stderr).toBe(
    '1 record settled: the service does not have them; the next push sends them again\n',
  );
  expect((await push()).stdout.match(/"outcome":"queued"/g)).toHaveLength(2);
});
