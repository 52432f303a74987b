import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { openPlace } from './open-place.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const createOrders = 'POST /admin/v2/orders/bulk';

/** A service that creates whole orders, a file of one order with these items, and a function that pushes it. */
async function openShop(...items: readonly string[]) {
  const folder = temporaryFolder();
  const assumptions = { ...defaultAssumptions, createOrders } as const;
  const served = await serveSandbox({ port: 0, products: 5, assumptions });
  onTestFinished(() => served.close());
  const { sandbox, baseUrl, token } = served;
  const rows = items.map((originId) => `O1,${originId},P1,2026-01-02T03:04:05Z`);
  writeFileSync(
    join(folder, 'items.csv'),
    `orderOriginId,originId,productOriginId,orderedAt\n${rows.join('\n')}\n`,
  );
  const env = { ...cleanEnvironment(folder), REVIEWCTL_BASE_URL: baseUrl, REVIEWCTL_TOKEN: token };
  const cli = (...args: string[]) => runInProcess(args, { env, cwd: folder });
  return {
    faults: sandbox.faults,
    push: () => cli(`orders push items.csv -c 'create-orders=${createOrders}'`),
    settle: (...originIds: string[]) => cli('runs resolve last --not-sent --yes', ...originIds),
  };
}

const settledOne = '1 record settled: the service does not have them; the next push sends them again\n';

test('whoever settles one item of a whole order hears that the others keep it back', async () => {
  const { faults, push, settle } = await openShop('I1', 'I2');
  faults.rates = { 'reset-after': 1 };
  expectEnd(await push(), 11);
  faults.rates = {};

  const one = await settle('I1');
  expect(one.stderr).toContain('the next push rejects the items of 1 order, first O1');
  expect((await settle('I2')).stderr).toBe(settledOne);
  expect((await push()).stdout.match(/"outcome":"queued"/g)).toHaveLength(2);
});

test('an order whose rows disagree is in no file of rejects, and the push says so', async () => {
  const { run, write } = await openPlace({ products: 2 });
  const header = 'orderOriginId,originId,productOriginId,orderedAt,memberOriginId';
  const file = write('o.csv', [header, 'O1,I1,P1,2026-11-20,m1', 'O1,I2,P1,2026-11-20,m2']);
  const pushed = await run([`orders push ${file} --rejects bad.csv`, '-c', `create-orders=${createOrders}`]);
  const told =
    'the orders listed above have inconsistent rows; they are not in bad.csv: the push rejects them\n';
  expectEnd(pushed, 6, told, '2 rejected');
});

test('what a later run met as unknown is settled by that run, its orders too', async () => {
  const { faults, push, settle } = await openShop('I1');
  faults.rates = { 'reset-before': 1 };
  expectEnd(await push(), 11);
  faults.rates = {};
  expectEnd(await push(), 11);

  expect((await settle()).stderr).toBe(settledOne);
  expect((await push()).stdout).toContain('"outcome":"queued"');
  expect((await settle()).stderr).toMatch(/^nothing was changed: run [\w-]+ has no unknown records\n/);
});
