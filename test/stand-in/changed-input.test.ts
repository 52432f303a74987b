import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesIn, jobsFor, recordsIn, standInShop, textOf } from './serve-stand-in.ts';

test('a file that is overwritten while it is pushed goes out as it was validated', async () => {
  const sent: string[] = [];
  const shop = await standInShop({
    'POST /admin/v2/order-items/bulk': ({ body }) => {
      writeFileSync(path, 'not what was validated');
      sent.push(...entriesIn(body).map(({ originId }) => textOf(originId)));
      return jobsFor(body, { status: 'PENDING' });
    },
  });
  const path = join(shop.folder, 'orders.csv');
  const ids = Array.from({ length: 5000 }, (_, index) => `I-${index}`);
  const rows = ids.map((id) => `B-${id},${id},P-1`);
  shop.writeLines('orders.csv', ['orderOriginId,originId,productOriginId', ...rows]);
  const pushed = await shop.cli('orders', 'push', path, '-c', 'concurrency=1', '-o', 'ndjson');
  expect(pushed.exitCode).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe('not what was validated');
  expect(sent).toEqual(ids);
  expect(recordsIn(pushed)).toHaveLength(ids.length);
});
