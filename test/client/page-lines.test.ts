import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageOf } from '../../src/base/failure.ts';
import { LineReader } from '../../src/client/page-lines.ts';
import {
  type LinePage,
  type Page,
  type PageBounds,
  paginate,
  paginateLines,
} from '../../src/client/paginate.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { objectTexts } from '../base/json-texts.ts';
import { withoutRounded } from '../base/without-rounded.ts';
import { apiOver } from './call.ts';

/** Pages of every list that are also decoded, to check the assumptions. */
const sampledPages = 4;

/** A list of these pages as bytes, after sampled pages of one record each. */
function listOf(...pages: readonly string[]) {
  const all = [
    ...Array.from({ length: sampledPages }, (_, index) => pageOf(`{"id":"first-${index}"}`)),
    ...pages,
  ];
  let asked = 0;
  const transport: Transport = () => {
    const page = all[asked] ?? '';
    asked += 1;
    const cursor = JSON.stringify({ hasNextPage: asked < all.length, endCursor: `${asked}` });
    const bytes = Buffer.from(page.replace('"pageInfo":0', `"pageInfo":${cursor}`));
    return Promise.resolve({ status: 200, headers: {}, bytes, body: bytes.toString() });
  };
  return apiOver(transport);
}

const pageOf = (...records: readonly string[]) =>
  `{"totalCount":${sampledPages + 1},"data":[${records.join(',')}],"pageInfo":0}`;

const asLine = (record: unknown) => `${JSON.stringify(record)}\n`;

/** The printed text of a list, the number of records passed on as lines, and the error that ended it, if any. */
async function print(pages: AsyncIterable<Page<unknown> | LinePage>) {
  let text = '';
  let passedOn = 0;
  try {
    for await (const page of pages) {
      text += 'lines' in page ? page.lines.bytes.toString() : page.sent.map(asLine).join('');
      passedOn += 'lines' in page ? page.lines.count : 0;
    }
  } catch (error) {
    return { text, passedOn, failure: messageOf(error) };
  }
  return { text, passedOn };
}

const printLines = (pages: readonly string[], bounds: PageBounds = {}) =>
  print(paginateLines(listOf(...pages), 'listProducts', {}, bounds));
const printDecoded = (pages: readonly string[]) => print(paginate(listOf(...pages), 'listProducts', {}));

describe('a list whose records are passed on', () => {
  const withId = fc
    .tuple(fc.nat(), objectTexts)
    .map(([id, text]) => text.replace('{', `{"id":"${id}"${text.includes(':') ? ',' : ''}`));
  const records = fc.oneof(withId, objectTexts);
  const envelopes = fc.constantFrom<(data: string) => string>(
    (data) => `{"totalCount":9,"data":[${data}],"pageInfo":0}`,
    (data) => `{"pageInfo":0,"data":[${data}]}`,
    (data) => `{"meta":{"data":[1]},"data":[${data}],"pageInfo":0}`,
    (data) => `{"data":[${data}],"pageInfo":0,"more":{"data":[{"id":"other"}]}}`,
    (data) => `{"data":[{"id":"hidden"}],"data":[${data}],"pageInfo":0}`,
    (data) => `{"data":[${data}],"d\\u0061ta":[{"id":"last"}],"pageInfo":0}`,
    (data) => `{"note":"\\"data\\":[1,2]","data":[${data}],"pageInfo":0}\n`,
    (data) => `\ufeff{\n  "data": [${data}],\n  "pageInfo":0\n}`,
  );

  test('prints byte for byte what decoding and writing them prints, for any JSON without rounded numbers', async () => {
    const pages = fc
      .tuple(envelopes, fc.array(records, { maxLength: 4 }))
      .map(([page, data]) => page(data.join(',')));
    await fc.assert(
      fc.asyncProperty(fc.array(pages, { maxLength: 3 }), async (some) => {
        const exact = some.map(withoutRounded);
        expect({ ...(await printLines(exact)), passedOn: 0 }).toEqual(await printDecoded(exact));
      }),
      { numRuns: 500 },
    );
  });

  test('decodes no record that is written as it is printed', async () => {
    const data = [
      '{"id":"1","name":"사과","price":12.5,"images":[{"url":"a"},{"url":"b"}]}',
      '{"id":"2","name":"\\"\\n"}',
    ];
    const { text, passedOn } = await printLines([pageOf(...data)]);
    expect({ text: text.split('\n').slice(sampledPages), passedOn }).toEqual({
      text: [...data, ''],
      passedOn: sampledPages + 2,
    });
  });

  test('ends in the middle of a page where its limit is', async () => {
    const { text } = await printLines([pageOf('{"id":"1"}', '{"id":"2"}', '{"id":"3"}')], {
      limit: sampledPages + 2,
    });
    expect(text.split('\n').slice(sampledPages)).toEqual(['{"id":"1"}', '{"id":"2"}', '']);
  });

  test('is left when the same page comes again', async () => {
    const page = pageOf('{"id":"1"}', '{"id":"2"}');
    expect((await printLines([page, page])).failure).toMatch(/the same page twice/);
  });

  test('is decoded where its bytes are no UTF-8', async () => {
    const bytes = Buffer.from(pageOf('{"id":"1","name":"?"}').replace('"pageInfo":0', '"pageInfo":{}'));
    bytes[bytes.indexOf('?')] = 0xff;
    const reply = { status: 200, headers: {}, bytes, body: bytes.toString() };
    const api = apiOver(() => Promise.resolve(reply));
    for (let index = 0; index < sampledPages; index += 1) await api.callForLines('listProducts', {});
    const { lines, sent } = await api.callForLines('listProducts', {});
    expect({ lines, sent }).toMatchObject({
      lines: undefined,
      sent: { data: [{ id: '1', name: '\ufffd' }] },
    });
  });
});

describe('the lines of a page', () => {
  const records = [
    '{"id":"1","createdAt":"a","review":{"createdAt":"b"}}',
    '{"id":"2","review":{"id":"3"}}',
    '{"id":"4","createdAt":"c"}',
  ];
  const taken = () => {
    const page = Buffer.from(`{"totalCount":3,"data":[${records.join(',')}],"pageInfo":{}}`);
    const lines = new LineReader().readLines(page);
    if (lines === undefined) throw new Error('the page is not passed on');
    return { page, ...lines };
  };

  test('are known by their number, ids and times', () => {
    const { lines, envelope } = taken();
    const paths = ['id', 'createdAt', 'review.createdAt'] as const;
    const valuesOf = (index: number) => paths.map((path) => lines.valueAt(index, path));
    expect([lines.count, valuesOf(0), valuesOf(1), valuesOf(-1), valuesOf(3)]).toEqual([
      3,
      ['1', 'a', 'b'],
      ['2', undefined, undefined],
      ['4', 'c', undefined],
      [undefined, undefined, undefined],
    ]);
    expect(envelope).toEqual({ totalCount: 3, data: [], pageInfo: {} });
  });

  test.each([
    ['all', [0, 1, 2], true],
    ['the last two', [1, 2], true],
    ['the outer two', [0, 2], false],
    ['none', [], true],
  ])('%s come as one text, without a copy where they follow one another', (_, wanted, isPart) => {
    const { page, lines } = taken();
    const { bytes } = lines.only((index) => wanted.includes(index));
    expect(bytes.toString()).toBe(wanted.map((index) => `${records[index]}\n`).join(''));
    page.fill(0);
    expect(bytes.every((byte) => byte === 0)).toBe(isPart);
  });
});
