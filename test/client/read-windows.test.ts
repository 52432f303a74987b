import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Api } from '../../src/client/caller.ts';
import { type ListPage, paginate, paginateLines } from '../../src/client/paginate.ts';
import { type ReadPages, readWindows } from '../../src/client/read-windows.ts';
import type { Assumptions } from '../../src/contract/assumptions.ts';
import type { Transport, WireRequest } from '../../src/contract/wire.ts';
import { apiOver } from './call.ts';
import { replyOf } from './scripted-transport.ts';

interface Listed {
  readonly id: string;
  readonly createdAt: string;
}

const secondMs = 1000;
const startMs = Date.parse('2026-01-01T00:00:00Z');
const reviewAt = (seconds: number, index: number): Listed => ({
  id: `r-${index}`,
  createdAt: new Date(startMs + Math.round(seconds * secondMs)).toISOString(),
});

interface ServiceTraits {
  readonly areEndsExclusive?: boolean;
  /** The total that the service reports for a list. */
  readonly total?: (matching: number, all: number) => number | null;
  readonly ignoresTimes?: boolean;
  /** Called before each reply. */
  readonly onRequest?: (request: WireRequest, records: Listed[]) => void;
}

/** Lists records by time, newest first; sorts again only if their number changed. */
function listByTime() {
  let sorted: readonly { readonly record: Listed; readonly timeMs: number }[] = [];
  return (records: readonly Listed[]) => {
    if (sorted.length !== records.length) {
      sorted = records
        .map((record) => ({ record, timeMs: Date.parse(record.createdAt) }))
        .toSorted((a, b) => b.timeMs - a.timeMs);
    }
    return sorted;
  };
}

/** A service with these reviews, listed by time; its cursors are record numbers. */
function serviceWith(records: Listed[], traits: ServiceTraits = {}, assumptions: Partial<Assumptions> = {}) {
  const { areEndsExclusive = false, total = (matching) => matching, ignoresTimes = false } = traits;
  const underWay = { now: 0, most: 0, requests: 0 };
  const newestFirst = listByTime();
  const transport: Transport = async (request, signal) => {
    signal?.throwIfAborted();
    underWay.now += 1;
    underWay.requests += 1;
    underWay.most = Math.max(underWay.most, underWay.now);
    traits.onRequest?.(request, records);
    await new Promise((resolve) => setImmediate(resolve));
    underWay.now -= 1;
    const query = new URL(request.path, 'http://service').searchParams;
    const [from, to] = ['createdAtStart', 'createdAtEnd'].map((name) => Date.parse(query.get(name) ?? ''));
    const slack = areEndsExclusive ? 1 : 0;
    const matching = newestFirst(records)
      .filter(
        ({ timeMs }) =>
          ignoresTimes || !(timeMs < (from ?? Number.NaN) + slack || timeMs > (to ?? Number.NaN) - slack),
      )
      .map(({ record }) => record);
    const sorted = query.get('direction') === 'ASC' ? matching.toReversed() : matching;
    const start = Number(query.get('after') ?? 0);
    const end = start + Number(query.get('first'));
    const reply = replyOf(200, {
      totalCount: total(matching.length, records.length),
      data: sorted.slice(start, end),
      pageInfo: { hasNextPage: end < sorted.length, endCursor: `${end}` },
    });
    return { ...reply, bytes: Buffer.from(reply.body) };
  };
  return { api: apiOver(transport, assumptions), underWay };
}

const sentOn = (page: ListPage): readonly JsonObject[] =>
  'lines' in page ? JSON.parse(`[${String(page.lines.bytes).trim().replaceAll('\n', ',')}]`) : page.sent;

async function idsOf(pages: AsyncIterable<ListPage>): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const page of pages) ids.push(...sentOn(page).map(({ id }) => id));
  return ids;
}

/** Answers at most 300 requests, each with a new cursor; from the third on, each has 100 new records. */
function endlessList(): Transport {
  let requests = 0;
  return ({ path }) => {
    requests += 1;
    if (requests > 300) throw new Error('the list is read without end');
    const query = new URL(path, 'http://service').searchParams;
    const isOrdered = query.get('direction') === 'ASC';
    const createdAt = query.get('createdAtStart') ?? reviewAt(isOrdered ? 0 : 10_000_000, 0).createdAt;
    const data = Array.from({ length: requests <= 2 ? 1 : 100 }, (_, at) => ({
      id: `r-${100 * requests + at}`,
      createdAt,
    }));
    const pageInfo = { hasNextPage: true, endCursor: `${requests}` };
    return Promise.resolve(replyOf(200, { totalCount: 1000, data, pageInfo }));
  };
}

const plainIds = ({ api }: ReturnType<typeof serviceWith>, direction: 'ASC' | 'DESC' = 'DESC') =>
  idsOf(paginate(api, 'listReviews', { direction }, { first: 10 }));
const windowIds = (
  { api }: ReturnType<typeof serviceWith>,
  lanes = 4,
  direction: 'ASC' | 'DESC' = 'DESC',
  read: ReadPages = paginate,
) => idsOf(readWindows(read, api, 'listReviews', { direction }, { first: 10, lanes }));

/** Reviews a minute apart. */
const reviewsOf = (length: number) => Array.from({ length }, (_, index) => reviewAt(60 * index, index));
const all = reviewsOf(300);

/** Realistic times of reviews: spread out, in bursts, many at one instant. */
const reviews = fc
  .array(
    fc.tuple(
      fc.oneof(fc.nat(10_000_000), fc.nat(3000), fc.constant(5000)),
      fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 10 }) }, fc.integer({ min: 50, max: 300 })),
      fc.constantFrom(0, 0.001, 0.5, 3),
    ),
    { maxLength: 40 },
  )
  .map((bursts) =>
    bursts
      .flatMap(([start, count, step]) => Array.from({ length: count }, (_, index) => start + index * step))
      .map(reviewAt),
  );

describe('a list that is read in windows of time', () => {
  test.each<[string, ServiceTraits]>([
    ['includes both ends of a range', {}],
    ['includes neither end of a range', { areEndsExclusive: true }],
    ['tells no totals', { total: () => null }],
    ['tells the total of all records, whatever it is asked for', { total: (_, all) => all }],
  ])('gives the same records in the same order as a plain list, where the service %s', async (_, traits) => {
    await fc.assert(
      fc.asyncProperty(
        reviews,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('ASC', 'DESC'),
        fc.constantFrom<ReadPages>(paginate, paginateLines),
        async (listed, lanes, direction, read) => {
          const service = serviceWith(listed, traits);
          expect(await windowIds(service, lanes, direction, read)).toEqual(
            await plainIds(service, direction),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  test('is read by as many requests at once as there are lanes', async () => {
    const service = serviceWith(reviewsOf(5000));
    expect((await windowIds(service, 8)).length).toBe(5000);
    expect(service.underWay.most).toBeGreaterThanOrEqual(8);
    // The page after the one that waits for its turn is also under way.
    expect(service.underWay.most).toBeLessThanOrEqual(2 * 8 + 1);
  });

  test.each([
    ['decoded', paginate],
    ['passed on', paginateLines],
  ])(
    'shows once what moves on the list while it is read, and all that was there before, %s',
    async (_, read) => {
      const before = reviewsOf(3000);
      let next = before.length;
      const onRequest = (_: WireRequest, records: Listed[]) => {
        // New records at the front move every later record by one place.
        if (next < 3200) records.push(reviewAt(60 * next, next));
        next += 1;
      };
      const ids = await windowIds(serviceWith([...before], { onRequest }), 4, 'DESC', read);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
    },
  );
});

describe('the windows of a list', () => {
  test('request nothing more once their consumer has left', async () => {
    const service = serviceWith(reviewsOf(50_000));
    for await (const page of readWindows(paginate, service.api, 'listReviews', {}, { lanes: 4 })) {
      if (sentOn(page).length > 0) break;
    }
    expect(service.underWay.requests).toBeLessThan(120);
  });

  test('end at the limit of the list', async () => {
    const service = serviceWith(reviewsOf(3000));
    const ids: unknown[] = [];
    for await (const page of readWindows(
      paginate,
      service.api,
      'listReviews',
      {},
      { lanes: 4, limit: 777 },
    )) {
      expect(sentOn(page)).not.toEqual([]);
      ids.push(...sentOn(page).map(({ id }) => id));
    }
    expect(ids).toEqual((await plainIds(service)).slice(0, 777));
  });

  test('are refused where the service sends records of another time than was asked for', async () => {
    const service = serviceWith(all, { ignoresTimes: true });
    await expect(windowIds(service)).rejects.toMatchObject({
      kind: 'contradictory-reply',
      message: expect.stringMatching(/sends records outside createdAtStart and createdAtEnd/),
      hint: 'leave out --parallel',
    });
  });

  test('of a service that answers each with new records and an ever new cursor end together', async () => {
    const pages = readWindows(paginate, apiOver(endlessList()), 'listReviews', {}, { lanes: 4 });
    await expect(idsOf(pages)).rejects.toMatchObject({
      kind: 'inconsistent-list',
      message: expect.stringContaining('so the list cannot be read to its end') as string,
    });
  });

  test('are refused where the service lists its records in another order than that of their time', async () => {
    const records = Array.from({ length: 300 }, (_, index) => reviewAt(60 * ((index * 7) % 300), index));
    const shuffled = apiOver(() =>
      Promise.resolve(
        replyOf(200, {
          totalCount: 900,
          data: records.slice(0, 100),
          pageInfo: { hasNextPage: true, endCursor: 'a' },
        }),
      ),
    );
    await expect(
      idsOf(readWindows(paginate, shuffled, 'listRewards', {}, { lanes: 2 })),
    ).rejects.toMatchObject({
      kind: 'inconsistent-list',
      message: expect.stringMatching(/does not list records in order of time/),
    });
  });
});

describe('the requests for the windows of a list', () => {
  test('end where as many records came as there are in all', async () => {
    const asked: string[] = [];
    const onRequest = ({ path }: WireRequest) => void asked.push(path);
    expect(await windowIds(serviceWith(all, { onRequest }), 2)).toHaveLength(300);
    // A single record is requested once, to find the other end of the list.
    expect(asked.filter((path) => /first=1(?!\d)/.test(path))).toHaveLength(1);
    expect(asked.at(-1)).toContain('createdAt');
  });

  /** The requests without a filter during a read of `windowsOf` a list. */
  async function unfiltered(
    filter: string,
    windowsOf: (api: Api) => AsyncIterable<ListPage>,
  ): Promise<string[]> {
    const asked: string[] = [];
    const onRequest = ({ path }: WireRequest) => void asked.push(path);
    const { api } = serviceWith(all, { onRequest }, { rewardTimeMeans: 'reward' });
    expect(await idsOf(windowsOf(api))).toHaveLength(300);
    return asked.filter((path) => !path.includes(filter));
  }

  test('have its filters', async () => {
    const reviewsIn = (api: Api) => readWindows(paginate, api, 'listReviews', { ratings: [5] }, { lanes: 2 });
    expect(await unfiltered('ratings', reviewsIn)).toEqual([]);
  });

  test('of rewards have its filters, but for the one that asks for a review', async () => {
    const rewardsIn = (api: Api) =>
      readWindows(paginate, api, 'listRewards', { status: 'QUEUED' }, { lanes: 2 });
    expect(await unfiltered('status', rewardsIn)).toEqual([expect.stringContaining('/reviews')]);
  });
});

test.each([
  ['as many records as are wanted', 30, 10],
  ['the whole list', 10, 20],
])('the windows of a list are not read where the first page has %s', async (_, length, limit) => {
  const service = serviceWith(Array.from({ length }, (_each, index) => reviewAt(index, index)));
  const options = { first: 10, lanes: 4, limit };
  expect(await idsOf(readWindows(paginate, service.api, 'listReviews', {}, options))).toHaveLength(10);
  expect(service.underWay.requests).toBe(1);
});

test('the windows of a list end with a page of the total at the end, where the list has become empty meanwhile', async () => {
  const isFirst = (path: string) => !path.includes('createdAt');
  let requests = 0;
  const emptied = apiOver(({ path }) => {
    requests += 1;
    const data = requests <= 2 && isFirst(path) ? [reviewAt(60 * (3 - requests), requests)] : [];
    const pageInfo = { hasNextPage: data.length > 0, endCursor: data.length > 0 ? 'a' : null };
    return Promise.resolve(replyOf(200, { totalCount: requests <= 2 ? 2 : 0, data, pageInfo }));
  });
  const pages: ListPage[] = [];
  for await (const page of readWindows(paginate, emptied, 'listReviews', {}, { first: 1, lanes: 1 }))
    pages.push(page);
  expect(pages.at(-1)).toMatchObject({ totalCount: 0, records: [] });
});
