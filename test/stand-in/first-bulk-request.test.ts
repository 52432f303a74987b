import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { pageOf, type Routes, recordsIn, standInShop } from './serve-stand-in.ts';

const bulk = '/admin/v2/order-items/bulk';
const elsewhere = `https://shop.example${bulk}`;

/** Pushes 1,000 order items to a shop with this answer to bulk requests. */
async function pushTo(answer: (outgoing: ServerResponse) => ServerResponse) {
  const routes: Routes = {
    [`POST ${bulk}`]: (_, outgoing) => answer(outgoing),
    'GET /admin/v2/reviews': () => pageOf([]),
    'GET /admin/v2/rewards': () => pageOf([]),
    'GET /admin/v2/products': () => pageOf([]),
  };
  const shop = await standInShop(routes);
  const rows = Array.from({ length: 1_000 }, (_, row) => `O${row},I${row},P`);
  shop.writeLines('items.csv', ['orderOriginId,originId,productOriginId', ...rows]);
  const result = await shop.cli('orders', 'push', 'items.csv');
  return { ...result, unknown: recordsIn(result).length, requests: shop.countOf(`POST ${bulk}`) };
}

test.each([
  ['a page', (outgoing: ServerResponse) => outgoing.end('<html>Welcome</html>')],
  ['nothing', (outgoing: ServerResponse) => outgoing.writeHead(204).end()],
  ['another form', (outgoing: ServerResponse) => outgoing.end('{"jobs":[{"jobId":"J1"}]}')],
  [
    'a redirect to a page',
    (outgoing: ServerResponse) => outgoing.writeHead(302, { location: '/login' }).end(),
  ],
])('bulk requests that are answered with %s cost 100 unknown at most', async (_, answer) => {
  const { exitCode, unknown, requests, stderr } = await pushTo(answer);
  expect({ exitCode, unknown, requests }).toEqual({ exitCode: 11, unknown: 100, requests: 1 });
  expect(stderr).toContain('900 records not attempted');
});

test.each([301, 302, 307, 308])(
  '%i to the same path elsewhere is exit 2, with the address to set',
  async (status) => {
    const { exitCode, unknown, requests, stderr } = await pushTo((outgoing) =>
      outgoing.writeHead(status, { location: elsewhere }).end(),
    );
    expect({ exitCode, unknown, requests }).toEqual({ exitCode: 2, unknown: 0, requests: 1 });
    expect(stderr).toContain('set base-url to https://shop.example');
  },
);
