import { expect, test } from 'vitest';
import { type Route, standInShop } from './serve-stand-in.ts';

const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${index + 1}`,
    originId: `P${index + 1}`,
    name: 'Mug',
    amount: 500,
    status: 'QUEUED',
  }));

/** Replies that do not state the end of a list. */
const silences = {
  nothing: {},
  'null alone': { totalCount: null, pageInfo: null },
  'empty words': { pageInfo: {} },
};

/** A shop with lists of `count` records, whose replies contain the first page and `rest`. */
function shopOf(count: number, rest: object) {
  const list: Route = ({ query }) => {
    const wanted = query.getAll('originIds');
    const matching = recordsOf(count).filter(
      ({ originId }) => wanted.length === 0 || wanted.includes(originId),
    );
    return { ...rest, data: matching.slice(0, Number(query.get('first') ?? 30)) };
  };
  const names = ['products', 'product-groups', 'reviews', 'rewards'];
  return standInShop(Object.fromEntries(names.map((name) => [`GET /admin/v2/${name}`, list])));
}

const commands = [
  ['products', 'list'],
  ['reviews', 'list', '-o', 'csv'],
  ['rewards', 'list', '-o', 'count'],
  ['product-groups', 'list'],
  ['ledger', 'init'],
].map((command) => [command.join(' '), command] as const);

test.each(
  Object.entries(silences).flatMap(([what, rest]) =>
    commands.map((command) => [what, rest, ...command] as const),
  ),
)('where a full page says %s of more (%j), %s ends with 6', async (_, rest, _words, command) => {
  const { cli } = await shopOf(350, rest);
  const { exitCode, stderr } = await cli(...command);
  expect(exitCode).toBe(6);
  expect(stderr).toContain('cannot be read to its end');
});

test.each(commands)('a page that is not full is the last one for %s', async (_, command) => {
  const { cli } = await shopOf(99, {});
  expect((await cli(...command)).exitCode).toBe(0);
});

test('a full page is enough where no more was asked for', async () => {
  const { cli } = await shopOf(350, {});
  const { exitCode, stdout } = await cli('products', 'list', '--limit', '100', '-o', 'count');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '100\n' });
});

test('a lookup that found all it asked for needs no word of its end', async () => {
  const { cli, writeLines, countOf } = await shopOf(200, {});
  const rows = recordsOf(200).map(({ originId, name }) => `${originId},${name}`);
  writeLines('p.csv', ['originId,name', ...rows]);
  const { exitCode, stderr } = await cli('products', 'push', 'p.csv', '-o', 'none');
  expect(stderr).toContain('200 unchanged');
  expect({ exitCode, created: countOf('POST /admin/v2/product') }).toEqual({ exitCode: 0, created: 0 });
});
