import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../src/base/json.ts';
import { type Asked, pageOf, recordsIn, standInShop, textOf } from './serve-stand-in.ts';

/** Ways to read an array parameter other than as repeated keys. */
const readings = {
  comma: (name: string, { query }: Asked) =>
    query
      .getAll(name)
      .slice(-1)
      .flatMap((text) => text.split(',')),
  'the last of repeated keys': (name: string, { query }: Asked) => query.getAll(name).slice(-1),
  brackets: (name: string, { query }: Asked) => query.getAll(`${name}[]`),
  'not at all': () => [],
} as const;
type Reading = keyof typeof readings;

const columns = 'originId,name';
const catalog = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    id: `${number + 1}`,
    originId: `P${number + 1}`,
    name: `Mug ${number + 1}`,
  }));

/** A shop with `count` products that reads arrays in its own way, accepts any creation, and pages its list. */
async function shopReading(reading: Reading, count: number) {
  const held = catalog(count);
  const ratings = [1, 2, 5, 5].map((rating, number) => ({ id: `${number}`, rating }));
  const narrowed = <T>(records: readonly T[], wanted: readonly string[], shownBy: (record: T) => unknown) =>
    wanted.length === 0 ? records : records.filter((record) => wanted.includes(String(shownBy(record))));
  const shop = await standInShop({
    'GET /admin/v2/products': (asked) => {
      const matching = narrowed(held, readings[reading]('originIds', asked), ({ originId }) => originId);
      const from = Number(asked.query.get('after') ?? 0);
      const to = from + Number(asked.query.get('first') ?? 30);
      const pageInfo = { hasNextPage: to < matching.length, endCursor: `${to}` };
      return { totalCount: matching.length, data: matching.slice(from, to), pageInfo };
    },
    'POST /admin/v2/product': ({ body }) => {
      const { originId, name } = isJsonObject(body) ? body : {};
      const product = { id: `${held.length + 1}`, originId: textOf(originId), name: textOf(name) };
      held.push(product);
      return product;
    },
    'GET /admin/v2/reviews': (asked) =>
      pageOf(narrowed(ratings, readings[reading]('ratings', asked), ({ rating }) => rating)),
  });
  const push = (rows: readonly string[], ...flags: readonly string[]) => {
    shop.writeLines('products.csv', [columns, ...rows]);
    return shop.cli('products', 'push', 'products.csv', ...flags);
  };
  const isDoubled = () => new Set(held.map(({ originId }) => originId)).size < held.length;
  return { ...shop, held, push, isDoubled };
}

const rowsOf = (count: number) => catalog(count).map(({ originId, name }) => `${originId},${name}`);

test.each(Object.keys(readings) as Reading[])(
  'a service that reads arrays by %s is sent no creation, and the failure names the other styles',
  async (reading) => {
    const { push, countOf } = await shopReading(reading, 250);
    const { exitCode, stderr } = await push([...rowsOf(150), 'new,Mug']);
    expect({ exitCode, created: countOf('POST /admin/v2/product') }).toEqual({ exitCode: 6, created: 0 });
    expect(stderr).toContain('-c array-query=comma');
    expect(stderr).toContain('-c array-query=brackets');
    expect(countOf('GET /admin/v2/products')).toBeLessThanOrEqual(6);
  },
);

test.each(Object.keys(readings) as Reading[])(
  'a shop with a single product, whose service reads arrays by %s, gets no second copy of it',
  async (reading) => {
    const { push, isDoubled } = await shopReading(reading, 1);
    await push([...rowsOf(1), 'new,Mug', 'other,Mug']);
    await push(['new,Mug', ...rowsOf(1), 'other,Mug']);
    expect(isDoubled()).toBe(false);
  },
);

test('an empty shop is filled, and the same push goes on once the style is set', async () => {
  const { push, isDoubled, held } = await shopReading('comma', 0);
  expect((await push(rowsOf(3))).exitCode).toBe(0);
  const wrong = await push(rowsOf(4));
  expect({ exitCode: wrong.exitCode, held: held.length }).toEqual({ exitCode: 6, held: 3 });
  const right = await push(rowsOf(4), '-c', 'array-query=comma');
  expect(recordsIn(right).map(({ outcome }) => outcome)).toEqual([
    'unchanged',
    'unchanged',
    'unchanged',
    'created',
  ]);
  expect(isDoubled()).toBe(false);
});

test('a list that sends what an array parameter did not ask for ends at once, with the settings to try', async () => {
  const { cli } = await shopReading('not at all', 0);
  const { exitCode, stdout, stderr } = await cli('reviews', 'list', '--ratings', '1,2', '-o', 'ids');
  expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' });
  expect(stderr.match(/records that do not match the parameter ratings/g)).toHaveLength(1);
  expect(stderr).toContain('-c array-query=comma or -c array-query=brackets');
});

test('items are not looked for in the reviews of all orders', async () => {
  let pages = 0;
  const review = (number: number) => ({ id: `${number}`, order: { id: '1', originId: `other ${number}` } });
  const shop = await standInShop({
    'GET /admin/v2/reviews': () => {
      pages += 1;
      const data = Array.from({ length: 100 }, (_, number) => review(pages * 100 + number));
      return { totalCount: 10_000, data, pageInfo: { hasNextPage: pages < 100, endCursor: `${pages}` } };
    },
    'GET /admin/v2/rewards': () => pageOf([]),
  });
  writeFileSync(join(shop.folder, 'items.csv'), 'originId,orderOriginId,status\nI1,O1,DELIVERED\n');
  const { stderr } = await shop.cli('order-items', 'push', 'items.csv');
  // The second page is requested while the first is read.
  expect(pages).toBeLessThanOrEqual(2);
  expect(stderr).toContain('the parameter orderOriginIds');
});
