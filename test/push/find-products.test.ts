import { describe, expect, it, test } from 'vitest';
import { createProductLookup, lookupGroups } from '../../src/push/lookup/find-products.ts';
import { listingProducts } from './listing-service.ts';

describe('keys are looked up in groups', () => {
  /** The number of keys in each group. */
  async function sizesOf(...batches: readonly (readonly string[])[]): Promise<number[]> {
    const sizes: number[] = [];
    for await (const group of lookupGroups(batches, (key) => key)) sizes.push(group.length);
    return sizes;
  }
  const keys = (count: number, key = 'A') => Array.from({ length: count }, () => key);
  /** 600 characters in an address, including the parameter name. */
  const long = `${'가'.repeat(65)}ab`;

  it.each<[string, readonly (readonly string[])[], readonly number[]]>([
    ['none of none', [[], []], []],
    ['of a hundred, in whatever batches they come', [keys(99), keys(151)], [100, 100, 50]],
    ['of all there are', [keys(100)], [100]],
    ['of no more than fits into an address', [keys(21, long)], [10, 10, 1]],
    ['however short they are', [keys(51, 'x'.repeat(107))], [50, 1]],
    ['of one that does not fit', [['A', 'x'.repeat(7000), 'B']], [1, 1, 1]],
    ['of one that does not fit and comes first', [['x'.repeat(7000), 'A']], [1, 1]],
  ])('%s', async (_, batches, sizes) => {
    expect(await sizesOf(...batches)).toEqual(sizes);
  });
});

/** The ids of products after lookups. */
async function idsFound(
  service: ReturnType<typeof listingProducts>,
  ...lookups: readonly (readonly string[])[]
) {
  const lookup = createProductLookup(service.api);
  const ids: Record<string, readonly string[]> = {};
  for (const originIds of lookups) {
    for (const [originId, products] of await lookup.find(originIds))
      ids[originId] = products.map(({ id }) => id);
  }
  return ids;
}

describe('what is missing is missing', () => {
  it.each<[string, readonly (string | null)[], readonly (readonly string[])[], readonly string[]]>([
    [
      'where two others were found',
      ['A', 'B'],
      [['A', 'B', 'C']],
      ['products?first=100&originIds=A&originIds=B&originIds=C'],
    ],
    [
      'where two others were found before',
      ['A', 'B'],
      [['A', 'B'], ['C']],
      ['products?first=100&originIds=A&originIds=B', 'products?first=100&originIds=C'],
    ],
    [
      'where the service was asked for two that it lists, once',
      ['A', 'B'],
      [['A'], ['C'], ['D']],
      [
        'products?first=100&originIds=A',
        'products?first=100&originIds=C',
        'products?first=100',
        'products?first=100&originIds=A&originIds=B',
        'products?first=100&originIds=D',
      ],
    ],
    [
      'where the service lists nothing',
      [],
      [['C']],
      ['products?first=100&originIds=C', 'products?first=100'],
    ],
    [
      'where the service lists only one that was found, or that was not asked for',
      ['A'],
      [['A', 'C'], ['C']],
      ['products?first=100&originIds=A&originIds=C', 'products?first=100', 'products?first=100&originIds=C'],
    ],
  ])('%s', async (_, listed, lookups, asked) => {
    const service = listingProducts(listed);
    const ids = await idsFound(service, ...lookups);
    expect(Object.keys(ids)).toEqual(lookups.flat().filter((originId) => listed.includes(originId)));
    expect(service.asked).toEqual(asked);
  });

  test('but not where the service lists it', async () => {
    const service = listingProducts(['A'], () => false);
    const finding =
      "asked for 2 originIds, including 'A', which it lists, the service did not send that product";
    await expect(idsFound(service, ['C', 'A'])).rejects.toMatchObject({
      kind: 'contradictory-reply',
      place: { operation: 'listProducts' },
      message: `listProducts: ${finding}; nothing is created, since existing products cannot be looked up`,
      hint: expect.stringContaining('-c array-query=comma'),
    });
  });

  test('nor where the service does not find two that it lists', async () => {
    const service = listingProducts(['A', 'B'], (originId) => originId === 'A');
    await expect(idsFound(service, ['A', 'C'])).rejects.toMatchObject({
      kind: 'contradictory-reply',
      message: expect.stringContaining("the service sent the product 'A' alone; nothing is created"),
    });
  });
});

test('all products of one originId are found', async () => {
  const service = listingProducts(['A', 'A', 'B']);
  expect(await idsFound(service, ['A', 'B'])).toEqual({ A: ['i0', 'i1'], B: ['i2'] });
});
