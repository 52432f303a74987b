import { expect, test } from 'vitest';
import { pageOf, type Route, standInShop } from './serve-stand-in.ts';

const idsOfPage = (page: number) => Array.from({ length: 100 }, (_, index) => `${page}-${index}`);
const more = (page: number) => ({ hasNextPage: true, endCursor: `cursor ${page}` });

/** Pages of new records, or empty ones, each with a new cursor; and the maximum number of requests for them. */
const endless: Readonly<Record<string, { dataOf: (page: number) => readonly object[]; requests: number }>> = {
  'empty pages': { dataOf: () => [], requests: 4 },
  // 10,000 records may be created while a list is read.
  'new records': {
    dataOf: (page) => idsOfPage(page).map((id) => ({ id, amount: 500, status: 'QUEUED' })),
    requests: 102,
  },
};

const payer = ['--payer-command', '/bin/true'];

/** A shop whose lists are empty, until `end` makes them endless. */
async function endlessShop(dataOf: (page: number) => readonly object[]) {
  let isEndless = false;
  const route: Route = ({ query }) => {
    if (!isEndless) return pageOf([]);
    const page = Number((query.get('after') ?? 'cursor 0').replace('cursor ', '')) + 1;
    return { totalCount: 2, data: dataOf(page), pageInfo: more(page) };
  };
  const lists = ['products', 'reviews', 'rewards'].map((list) => [`GET /admin/v2/${list}`, route] as const);
  const shop = await standInShop(Object.fromEntries(lists));
  const begin = () => {
    isEndless = true;
    return shop.asked.length;
  };
  return { ...shop, begin };
}

test.each(
  Object.entries(endless).flatMap(([what, { dataOf, requests }]) =>
    [
      ['products', 'list'],
      ['reviews', 'list'],
      ['rewards', 'list', '--since-last', 'night'],
      ['ledger', 'init'],
      ['rewards', 'settle', '--dry-run', ...payer],
      ['rewards', 'settle', ...payer],
    ].map((command) => [what, command.join(' '), command, dataOf, requests] as const),
  ),
)('%s without end leave %s with exit 6, and no lock', async (_, _words, command, dataOf, requests) => {
  const shop = await endlessShop(dataOf);
  if (command[1] === 'settle') expect((await shop.cli('ledger', 'init')).exitCode).toBe(0);
  const before = shop.begin();
  const { exitCode, stderr } = await shop.cli(...command);
  expect(exitCode).toBe(6);
  expect(stderr).toContain('so the list cannot be read to its end');
  expect(shop.asked.length - before).toBeLessThanOrEqual(requests);
  expect((await shop.cli(...command)).exitCode).toBe(6);
});
