import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordsIn, standInShop } from './serve-stand-in.ts';

const bulk = 'POST /admin/v2/order-items/bulk';
const requestsMaximum = 20;

test('a refusal that names an entry that was not sent ends, with every record rejected', async () => {
  const shop = await standInShop({
    [bulk]: (_, outgoing) => {
      // Beyond any number of requests that these records need, so that sending without end fails.
      const isEndless = shop.countOf(bulk) > requestsMaximum;
      outgoing.writeHead(isEndless ? 401 : 422);
      return { detail: [{ loc: ['body', 500, 'originId'], msg: 'is not known', type: 'value_error' }] };
    },
  });
  writeFileSync(
    join(shop.folder, 'items.csv'),
    'orderOriginId,originId,productOriginId\nO1,I1,P1\nO2,I2,P1\nO3,I3,P1\n',
  );
  const result = await shop.cli('orders', 'push', 'items.csv');
  expect(recordsIn(result).map(({ outcome }) => outcome)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(result.exitCode).toBe(6);
});
