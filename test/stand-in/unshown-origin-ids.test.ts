import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { type Asked, pageOf, standInShop, textOf } from './serve-stand-in.ts';

/** A product of the shop as the stand-in stores it. */
interface Held {
  readonly id: string;
  readonly originId: string | null;
  readonly name: string;
}

/** The forms in which a list shows a product. */
const shown: Readonly<Record<string, (product: Held) => object>> = {
  'no originId': ({ id, name }) => ({ id, name }),
  'null for an originId': ({ id, name }) => ({ id, name, originId: null }),
  'an empty originId': ({ id, name }) => ({ id, name, originId: '' }),
  'origin_id instead': ({ id, name, originId }) => ({ id, name, origin_id: originId }),
  'an object for an originId': ({ id, name, originId }) => ({ id, name, originId: { value: originId } }),
  'no id': ({ name, originId }) => ({ name, originId }),
};

const repeated = ({ query }: Asked) => query.getAll('originIds');
const byComma = (asked: Asked) =>
  repeated(asked)
    .slice(-1)
    .flatMap((text) => text.split(','));
const lastOne = (asked: Asked) => repeated(asked).slice(-1);

/** A shop with these products that shows them in its own way and accepts any creation. */
async function shopShowing(
  show: (product: Held) => object,
  originIds: readonly (string | null)[],
  read: (asked: Asked) => readonly string[] = repeated,
) {
  const held: Held[] = originIds.map((originId, index) => ({ id: `${index + 1}`, originId, name: 'Mug' }));
  const shop = await standInShop({
    'GET /admin/v2/products': (asked) => {
      const wanted = read(asked);
      const isNarrowed = asked.query.has('originIds');
      return pageOf(held.filter(({ originId }) => !isNarrowed || wanted.includes(originId ?? '')).map(show));
    },
    'POST /admin/v2/product': ({ body }) => {
      const { originId, name } = (isJsonObject(body) ? body : {}) as JsonObject;
      const product = { id: `${held.length + 1}`, originId: textOf(originId), name: textOf(name) };
      held.push(product);
      return product;
    },
  });
  const push = (pushed: readonly string[]) => {
    shop.writeLines('p.csv', ['originId,name', ...pushed.map((id) => `${id},Mug`)]);
    return shop.cli('products', 'push', 'p.csv');
  };
  return { ...shop, push };
}

const ten = Array.from({ length: 10 }, (_, index) => `P${index + 1}`);

test.each([
  ...Object.entries(shown).map(([what, show]) => [what, show, repeated] as const),
  ['no originId, read by comma', ({ id, name }: Held) => ({ id, name }), byComma],
  ['no originId, read by the last of repeated keys', ({ id, name }: Held) => ({ id, name }), lastOne],
] as const)('no product is created again where lists show %s', async (_, show, read) => {
  const { push, countOf } = await shopShowing(show, ten, read);
  const { exitCode, stderr } = await push([...ten, 'new']);
  expect({ exitCode, created: countOf('POST /admin/v2/product') }).toEqual({ exitCode: 6, created: 0 });
  expect(stderr).toMatch(/nothing is created|lookups are not possible/);
  expect(stderr).not.toMatch(/^ +at /m);
});

test('a shop whose own products have no originId is filled once', async () => {
  const { push, countOf } = await shopShowing((product) => product, [null, null, null]);
  expect((await push(ten)).exitCode).toBe(0);
  expect((await push([...ten, 'new'])).exitCode).toBe(0);
  expect(countOf('POST /admin/v2/product')).toBe(11);
});
