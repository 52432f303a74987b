import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { standInShop } from './serve-stand-in.ts';

/** Lookups of two rows, and the record that every page of the list contains, each time with a new id. */
const lookups = [
  {
    noun: 'products',
    csv: 'originId,name\nP1,Mug\nP2,Mug\n',
    list: 'GET /admin/v2/products',
    record: (page: number) => ({ id: `${page}`, originId: 'P1', name: 'Mug' }),
    exitCode: 6,
  },
  {
    noun: 'order-items',
    csv: 'originId,orderOriginId,status\nI1,O1,DELIVERED\nI2,O2,DELIVERED\n',
    list: 'GET /admin/v2/reviews',
    record: (page: number) => ({ id: `${page}`, order: { id: '1', originId: 'O1' } }),
    exitCode: 6,
  },
];

test.each(lookups)('a push of 2 $noun ends against a lookup of one record a page', async (lookup) => {
  const { noun, csv, list, record, exitCode: expected } = lookup;
  let pages = 0;
  const shop = await standInShop({
    'GET /admin/v2/rewards': () => ({ data: [], pageInfo: { hasNextPage: false } }),
    [list]: () => {
      pages += 1;
      return { data: [record(pages)], pageInfo: { hasNextPage: pages < 20_000, endCursor: `c${pages}` } };
    },
  });
  writeFileSync(join(shop.folder, 'two.csv'), csv);
  const { exitCode } = await shop.cli(noun, 'push', 'two.csv');
  expect(exitCode).toBe(expected);
  expect(pages).toBeLessThanOrEqual(noun === 'products' ? 20 : 210);
  expect(shop.asked.filter((request) => !request.startsWith('GET '))).toEqual([]);
});
