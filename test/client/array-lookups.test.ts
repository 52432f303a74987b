import { describe, expect, it, test } from 'vitest';
import { messageOf } from '../../src/base/failure.ts';
import { createApi } from '../../src/client/caller.ts';
import { withGate } from '../../src/client/gate.ts';
import { lookUp } from '../../src/client/look-up.ts';
import { probeArrays } from '../../src/client/probe-arrays.ts';
import { readList, readListToPrint } from '../../src/client/read-list.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Refutation } from '../../src/contract/reply-checks.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { replyOf, requestOf, scriptedTransport } from './scripted-transport.ts';

type Shown = readonly { readonly id: string; readonly originId?: string | null; readonly rating?: number }[];

/**
 * A service whose lists depend on their query; `asked` has the queries, `refuted` the assumptions that replies refuted.
 */
function serviceOf(
  answer: (query: URLSearchParams, count: number) => Shown | number | { readonly page: object },
) {
  const asked: string[] = [];
  const refuted: Refutation[] = [];
  const transport: Transport = ({ path }) => {
    const query = new URL(path, 'http://service').searchParams;
    asked.push(decodeURIComponent(path.replace(/^.*?v2\//, '')));
    const answered = answer(query, asked.length);
    if (typeof answered === 'number') return Promise.resolve(replyOf(answered, { detail: 'no' }));
    const page = 'page' in answered ? answered.page : { totalCount: answered.length, data: answered };
    return Promise.resolve(replyOf(200, page));
  };
  const api = createApi({
    transport,
    assumptions: defaultAssumptions,
    onRefutation: (one) => refuted.push(one),
  });
  return { api, asked, refuted };
}

const products = (...originIds: readonly (string | null)[]): Shown =>
  originIds.map((originId, index) => ({ id: `${index + 1}`, originId }));

describe('whether a service reads lists of ids as they are written is shown by two of its products', () => {
  const probed = (listed: Shown, found: Shown | number) =>
    probeArrays(serviceOf((query) => (query.has('originIds') ? found : listed)).api);
  const asked = "asked for the originIds 'A' and 'B', which it lists, the service sent";

  it.each<[string, Shown, Shown | number, object]>([
    ['it sends both', products('A', null, 'B', 'C'), products('A', 'B'), { kind: 'proven' }],
    [
      'it sends one',
      products('A', 'B'),
      products('B'),
      { kind: 'misread', finding: `${asked} the product 'B' alone` },
    ],
    ['it sends none', products('A', 'B'), [], { kind: 'misread', finding: `${asked} no product` }],
    [
      'it sends others',
      products('A', 'B'),
      products('A', 'X'),
      { kind: 'misread', finding: `${asked} other products` },
    ],
    [
      'it refuses the request',
      products('A', 'B'),
      422,
      {
        kind: 'misread',
        finding: "asked for the originIds 'A' and 'B', which it lists, the service refused the request",
      },
    ],
    [
      'it lists one alone',
      products('A', null, 'A'),
      [],
      { kind: 'unprovable', originIds: ['A'], hasUnnamed: true },
    ],
    ['it lists none', [], [], { kind: 'unprovable', originIds: [], hasUnnamed: false }],
    [
      'it sends one without its originId',
      products('A', 'B'),
      products('A', null),
      { kind: 'misread', finding: `${asked} products without an originId` },
    ],
  ])('where %s', async (_, listed, found, result) => {
    expect(await probed(listed, found)).toEqual(result);
  });

  test('a service that fails shows nothing', async () => {
    await expect(probed(products('A', 'B'), 500)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('which are searched for on ten pages at the most', async () => {
    const { api, asked: paths } = serviceOf((query, count) =>
      query.has('originIds')
        ? products('A', 'B')
        : {
            page: {
              data: products(count === 4 ? 'A' : null),
              pageInfo: { hasNextPage: true, endCursor: `c${count}` },
            },
          },
    );
    expect(await probeArrays(api)).toMatchObject({ kind: 'unprovable', originIds: ['A'] });
    expect(paths).toHaveLength(10);
    expect(paths.slice(0, 2)).toEqual(['products?first=100', 'products?first=100&after=c1']);
  });

  it.each([
    ['says that there are no more', { hasNextPage: false, endCursor: 'c' }],
    ['gives no cursor', { hasNextPage: true, endCursor: '' }],
    ['says nothing', null],
  ])('up to the page that %s', async (_, pageInfo) => {
    const { api, asked: paths } = serviceOf(() => ({ page: { data: products('A'), pageInfo } }));
    await probeArrays(api);
    expect(paths).toHaveLength(1);
  });
});

test('a lookup ends with the first record that was not asked for', async () => {
  const { api } = serviceOf(() => products('A', 'X'));
  const pages = lookUp(api, 'listProducts', { originIds: ['A', 'B'] });
  await expect(pages.next()).rejects.toMatchObject({
    kind: 'contradictory-reply',
    message:
      "listProducts: asked for 2 originIds, the service sent a record of 'X', so lookups are not possible",
    place: { operation: 'listProducts' },
  });
});

test('a lookup that is refused names the setting, since no flag gives its values', async () => {
  const pages = lookUp(serviceOf(() => 422).api, 'listProducts', { originIds: ['A', 'B'] });
  await expect(pages.next()).rejects.toMatchObject({
    kind: 'usage',
    hint: expect.stringContaining('-c array-query=comma'),
  });
});

describe('a list that is filtered by several values', () => {
  const review = (rating: number) => ({ id: `${rating}`, rating });
  async function read(shown: Shown, alone: Shown | number, query: object = { ratings: [1, 5] }, bounds = {}) {
    const service = serviceOf((asked) => (asked.getAll('ratings').length === 1 ? alone : shown));
    try {
      for await (const _ of readList(service.api, 'listReviews', query, bounds));
    } catch (error) {
      return { ...service, told: messageOf(error) };
    }
    return { ...service, told: undefined };
  }
  const finding = (value: number) =>
    `listReviews: asked for several ratings, the service sent no record of ${value}, although it has some`;

  it.each<[string, Shown, Shown | number, string | undefined]>([
    ['shows one of them only, and has records of the other', [review(1)], [review(5)], finding(5)],
    ['shows the other one only', [review(5)], [review(1)], finding(1)],
    ['shows none, and has records of the first', [], [review(1)], finding(1)],
    ['shows one of them only, and has no others', [review(1)], [], undefined],
    ['shows one of them only, and then fails', [review(1)], 500, undefined],
    ['shows both', [review(1), review(5)], [review(5)], undefined],
  ])('and %s', async (_, shown, alone, found) => {
    const { told, asked } = await read(shown, alone);
    expect(told).toBe(found);
    expect(asked.length).toBe(shown.length === 2 ? 1 : 2);
  });

  test('is asked for a missing one by itself, one record of it', async () => {
    const { asked } = await read([review(1)], []);
    expect(asked).toEqual(['reviews?first=100&ratings=1&ratings=5', 'reviews?first=1&ratings=5']);
  });

  it.each<[string, object, object]>([
    ['is read in part', { ratings: [1, 5] }, { limit: 5 }],
    ['begins in the middle', { ratings: [1, 5], after: 'c' }, {}],
    ['is filtered by one value', { ratings: [1] }, {}],
    ['is not filtered', {}, {}],
  ])('is asked for nothing more where it %s', async (_, query, bounds) => {
    const { asked } = await read([], [], query, bounds);
    expect(asked).toHaveLength(1);
  });

  test('is decoded, while one that is not filtered is passed on', async () => {
    const bytes = Buffer.from('{"totalCount":1,"data":[{"id":"1","rating":1}]}');
    const { transport } = scriptedTransport({ ...replyOf(200, bytes.toString()), bytes });
    const api = createApi({ transport, assumptions: defaultAssumptions });
    const bounds = { limit: 1, lanes: undefined, takesLines: true };
    const formOf = async (query: object) => {
      for await (const page of readListToPrint(api, 'listReviews', query, bounds))
        return 'lines' in page ? 'lines' : 'records';
      return 'nothing';
    };
    expect(await formOf({ ratings: [1, 5] })).toBe('records');
  });
});

test('each request that changes something waits for its permission, and is not sent without', async () => {
  const { transport, sent } = scriptedTransport(replyOf(200));
  const refused = new Error('refused');
  const gated = withGate(transport, () => Promise.reject(refused));
  await gated(requestOf('GET'));
  for (const method of ['POST', 'PATCH', 'PUT'] as const) {
    await expect(gated(requestOf(method))).rejects.toBe(refused);
  }
  expect(sent.map(({ method }) => method)).toEqual(['GET']);
  const open = withGate(transport, () => Promise.resolve());
  await open(requestOf('POST'));
  expect(sent.map(({ method }) => method)).toEqual(['GET', 'POST']);
});
