import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { type ListQuery, type PageBounds, paginate } from '../../src/client/paginate.ts';
import type { Transport, WireReply } from '../../src/contract/wire.ts';
import { apiOver } from './call.ts';
import { replyOf } from './scripted-transport.ts';

interface SentPage {
  readonly ids: readonly string[];
  readonly pageInfo?: Json;
  readonly totalCount?: number;
}

const more = (endCursor: string): Json => ({ hasNextPage: true, endCursor });
const last: Json = { hasNextPage: false, endCursor: null };

const leading = (endCursor: string, ...ids: readonly string[]): SentPage => ({
  ids,
  pageInfo: more(endCursor),
});
const ending = (...ids: readonly string[]): SentPage => ({ ids, pageInfo: last });

const pageReply = ({ ids, pageInfo, totalCount = 2 }: SentPage): WireReply =>
  replyOf(200, { totalCount, data: ids.map((id) => ({ id, shelf: id })), pageInfo });

/** A list with one page per request, in order; an error or a reply stands for a page that fails. */
function listOf(...pages: readonly (SentPage | WireReply | Error)[]) {
  const paths: string[] = [];
  const transport: Transport = (request) => {
    const page = pages[paths.length];
    paths.push(request.path);
    if (page === undefined) throw new Error('asked for one page too many');
    if (page instanceof Error) return Promise.reject(page);
    return Promise.resolve('status' in page ? page : pageReply(page));
  };
  return { api: apiOver(transport), paths };
}

/** The ids of a list page by page, and its error, if any. */
async function read({ api }: ReturnType<typeof listOf>, bounds: PageBounds = {}) {
  const pages: string[][] = [];
  try {
    for await (const { records } of paginate(api, 'listProducts', {}, bounds)) {
      pages.push(records.map(({ id }) => id));
    }
  } catch (error) {
    return { pages, error };
  }
  return { pages };
}

describe('a list', () => {
  it('is read to its end in pages of 100, each asked for with the cursor before', async () => {
    const list = listOf(leading('a b', '1', '2'), leading('c', '3'), ending('4'));
    expect(await read(list)).toEqual({ pages: [['1', '2'], ['3'], ['4']] });
    expect(list.paths).toEqual([
      '/admin/v2/products?first=100',
      '/admin/v2/products?first=100&after=a%20b',
      '/admin/v2/products?first=100&after=c',
    ]);
  });

  it('keeps its filters on every page and begins at the given cursor', async () => {
    const list = listOf(leading('b', '1'), ending('2'));
    const query: ListQuery<'listProducts'> = { sort: 'NAME', originIds: ['x', 'y'], after: 'a' };
    for await (const page of paginate(list.api, 'listProducts', query, { first: 7 })) void page;
    expect(list.paths).toEqual([
      '/admin/v2/products?sort=NAME&first=7&after=a&originIds=x&originIds=y',
      '/admin/v2/products?sort=NAME&first=7&after=b&originIds=x&originIds=y',
    ]);
  });

  it('gives each record as read and as sent, and the total', async () => {
    const list = listOf(ending('1'));
    const pages: unknown[] = [];
    for await (const page of paginate(list.api, 'listProducts', {})) pages.push(page);
    const record = { id: '1', shelf: '1' };
    expect(pages).toEqual([{ records: [record], sent: [record], totalCount: 2 }]);
  });

  it('without records is one empty page', async () => {
    expect(await read(listOf(ending()))).toEqual({ pages: [[]] });
  });

  it.each([0, 101, 1.5, -1, Number.NaN])('is not read in pages of %d', async (first) => {
    const list = listOf();
    const { error } = await read(list, { first });
    expect(error).toMatchObject({
      kind: 'usage',
      message: `first must be an integer from 1 to 100, not ${first}`,
    });
    expect(list.paths).toEqual([]);
  });
});

describe('the end of a list', () => {
  it.each<[string, Json | undefined]>([
    ['says so', { hasNextPage: false, endCursor: 'z' }],
    ['says so in text', { hasNextPage: 'false', endCursor: 'z' }],
    ['has null for both fields', { hasNextPage: null, endCursor: null }],
    ['has neither field', {}],
    ['has no pageInfo', undefined],
    ['has null for its pageInfo', null],
  ])('is the page that %s', async (_, pageInfo) => {
    const list = listOf(leading('a', '1'), { ids: ['2'], ...(pageInfo === undefined ? {} : { pageInfo }) });
    expect(await read(list)).toEqual({ pages: [['1'], ['2']] });
  });

  it.each<[string, Json]>([
    ['null', { hasNextPage: null, endCursor: 'a' }],
    ['missing', { endCursor: 'a' }],
  ])('is the first empty page where hasNextPage is %s but cursors are given', async (_, pageInfo) => {
    const list = listOf({ ids: ['1'], pageInfo }, { ids: [], pageInfo });
    expect(await read(list)).toEqual({ pages: [['1'], []] });
  });

  it('is not a page that is empty while more are promised', async () => {
    const list = listOf(leading('a'), ending('1'));
    expect(await read(list)).toEqual({ pages: [[], ['1']] });
  });
});

describe('a list that cannot end', () => {
  const twice =
    'listProducts: the service gave the same endCursor twice, so the list cannot be read to its end';

  it('is left after the pages before its cursor came back in a circle', async () => {
    const list = listOf(leading('a', '1'), leading('b', '2'), leading('a', '1'));
    expect(await read(list)).toMatchObject({
      pages: [['1'], ['2']],
      error: { kind: 'inconsistent-list', exitCode: 6, message: twice },
    });
  });

  it('is left when it leads back to the cursor it began at', async () => {
    const list = listOf(leading('a', '1'));
    const pages = paginate(list.api, 'listProducts', { after: 'a' });
    await expect(pages.next()).rejects.toMatchObject({ message: twice });
  });

  it('is left when it promises more and names no cursor', async () => {
    const list = listOf(leading('a', '1'), leading('', '2'));
    expect(await read(list)).toMatchObject({
      pages: [['1']],
      error: {
        kind: 'inconsistent-list',
        message: expect.stringMatching(/has more records, but gave no endCursor/),
      },
    });
  });

  it('is left when the service refuses its own cursor, which is no mistake of the caller', async () => {
    const list = listOf(leading('a', '1'), replyOf(422, { detail: 'expired' }));
    expect(await read(list)).toMatchObject({
      pages: [['1']],
      error: {
        kind: 'inconsistent-list',
        message: expect.stringContaining('the service refused its own endCursor (expired)'),
      },
    });
  });

  it.each<[string, Json | undefined]>([
    ['left out', undefined],
    ['no object', 'z'],
    ['of no use', { endCursor: { offset: 2 } }],
  ])('is left when its total says that records are missing and pageInfo is %s', async (_, pageInfo) => {
    const end = { ids: ['2'], totalCount: 3, ...(pageInfo === undefined ? {} : { pageInfo }) };
    const list = listOf({ ids: ['1'], pageInfo: more('a'), totalCount: 3 }, end);
    expect(await read(list)).toMatchObject({
      pages: [['1']],
      error: {
        kind: 'inconsistent-list',
        message:
          'listProducts: the service has more records, but gave no endCursor to ask for them, so the list cannot be read to its end',
      },
    });
  });

  it('gives the pages before one that fails', async () => {
    const lost = new Error('lost');
    const list = listOf(leading('a', '1'), leading('b', '2'), lost);
    expect(await read(list)).toEqual({ pages: [['1'], ['2']], error: lost });
  });
});

describe('a limit', () => {
  it('ends the list without a page more than it needs', async () => {
    const list = listOf(leading('a', '1', '2'), leading('b', '3'));
    expect(await read(list, { first: 2, limit: 3 })).toEqual({ pages: [['1', '2'], ['3']] });
    expect(list.paths).toEqual(['/admin/v2/products?first=2', '/admin/v2/products?first=1&after=a']);
  });

  it('met by the last record of a page asks for no further page', async () => {
    const list = listOf(leading('a', '1', '2'));
    expect(await read(list, { first: 2, limit: 2 })).toEqual({ pages: [['1', '2']] });
  });

  it('holds where the service gives more than it was asked for', async () => {
    const list = listOf(leading('a', '1', '2', '3'));
    expect(await read(list, { limit: 2 })).toEqual({ pages: [['1', '2']] });
  });

  it('of nothing asks for nothing', async () => {
    expect(await read(listOf(), { limit: 0 })).toEqual({ pages: [] });
  });
});

describe('the next page', () => {
  /** An endless list. Its requests wait until they are answered or aborted. */
  function slowList() {
    const underWay: { readonly answer: () => void; readonly signal: AbortSignal | undefined }[] = [];
    const transport: Transport = (_, signal) =>
      new Promise((resolve, reject) => {
        const page = { ids: [String(underWay.length)], pageInfo: more(String(underWay.length)) };
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        underWay.push({ answer: () => resolve(pageReply(page)), signal });
      });
    return { api: apiOver(transport), underWay };
  }

  /** The same list after its first page. */
  async function begunList(bounds: PageBounds = {}) {
    const { api, underWay } = slowList();
    const pages = paginate(api, 'listProducts', {}, bounds);
    const first = pages.next();
    underWay[0]?.answer();
    await first;
    return { pages, underWay };
  }

  it('is on its way while the current one is consumed, and never more than one', async () => {
    const { pages, underWay } = await begunList();
    expect(underWay.length).toBe(2);
    underWay[1]?.answer();
    await Promise.resolve();
    expect(underWay.length).toBe(2);
    await pages.next();
    expect(underWay.length).toBe(3);
    await pages.return(undefined);
  });

  it('is abandoned when the consumer leaves', async () => {
    const { pages, underWay } = await begunList();
    await pages.return(undefined);
    expect(underWay.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  });

  it('is abandoned, and the list ended with the reason, when the caller gives up', async () => {
    const stopping = new AbortController();
    const { pages, underWay } = await begunList({ signal: stopping.signal });
    stopping.abort(new Error('stopped'));
    await expect(pages.next()).rejects.toThrow('stopped');
    expect(underWay.length).toBe(2);
  });
});
