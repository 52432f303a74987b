import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { pageOf, standInShop } from '../stand-in/serve-stand-in.ts';
import { openPlace } from './open-place.ts';
import { expectEnd } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

test('whoever interrupts a push that waits for its jobs hears that all was sent, and how to go on waiting', async () => {
  const place = await openPlace({ products: 1, jobDelayMs: 3_600_000 });
  const path = place.write('items.csv', [
    'orderOriginId,originId,productOriginId',
    'O1,O1-1,P1',
    'O2,O2-1,P1',
  ]);
  const stopping = new AbortController();
  const pressed = {
    ...systemClock,
    sleep: async () => stopping.abort(new Failure('interrupted', 'interrupted before the end')),
  };
  const push = `orders push ${path} --wait -c 'get-job=GET /admin/v2/job/{jobId}'`;
  const { stderr } = await place.run(push, { stopping: stopping.signal, clock: pressed });
  expect(stderr).toContain(
    'warning: interrupted: all records were sent, and the jobs of 2 records have not ended\nhint: to wait for them: reviewctl jobs wait -c ',
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
