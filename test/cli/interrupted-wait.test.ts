import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { pageOf, standInShop } from '../stand-in/serve-stand-in.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

test('whoever interrupts a push that waits for its jobs hears that all was sent, and how to go on waiting', async () => {
  const folder = temporaryFolder();
  const sandbox = await serveSandbox({ port: 0, products: 1, jobDelayMs: 3_600_000 });
  onTestFinished(() => sandbox.close());
  const env = environmentAt(folder, sandbox);
  const path = join(folder, 'items.csv');
  writeFileSync(path, 'orderOriginId,originId,productOriginId\nO1,O1-1,P1\nO2,O2-1,P1\n');
  const stopping = new AbortController();
  const pressed = {
    ...systemClock,
    sleep: async () => stopping.abort(new Failure('interrupted', 'interrupted before the end')),
  };
  const words = [`orders push ${path} --wait -c 'get-job=GET /admin/v2/job/{jobId}'`];
  const { stderr } = await runInProcess(words, { env, stopping: stopping.signal, clock: pressed });
  expect(stderr).toContain(
    'warning: interrupted: all records were sent, and the jobs of 2 records had not ended\nhint: to wait for them: reviewctl jobs wait\n',
  );
});

test('whoever interrupts a wait for jobs is not kept waiting: no further job is asked for', async () => {
  const stop = new AbortController();
  let lookups = 0;
  const shop = await standInShop({
    'GET /admin/v2/products': () => pageOf([]),
    'POST /admin/v2/order-items/bulk': ({ body }) =>
      (body as readonly object[]).map((_, index) => ({ jobId: `${sent++}-${index}`, status: 'PENDING' })),
    'GET /admin/v2/job/{}': ({ ids }) => {
      lookups += 1;
      if (lookups === 10) stop.abort(new Failure('interrupted', 'interrupted before the end'));
      return { jobId: ids[0], status: 'PENDING' };
    },
  });
  let sent = 0;
  const rows = Array.from({ length: 1_500 }, (_, index) => `O${index},I${index},P1`);
  writeFileSync(
    join(shop.folder, 'items.csv'),
    ['orderOriginId,originId,productOriginId', ...rows, ''].join('\n'),
  );
  expectEnd(await shop.cli('orders push items.csv -o none'), 0);
  const wait = "jobs wait -o none -c 'get-job=GET /admin/v2/job/{jobId}'";
  expectEnd(
    await runInProcess(wait, { env: shop.env, stopping: stop.signal }),
    130,
    'warning: interrupted: 1,500 jobs had not ended\nhint: the same command continues to wait\n',
  );
  expect(lookups).toBeLessThan(100);
});
