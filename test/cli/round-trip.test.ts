import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

const byText = (one: string, other: string) => (one < other ? -1 : 1);

const formats = ['csv', 'csv --excel', 'json', 'ndjson'] as const;

/** Prints with a command, applies `edit` to the text, and pushes the result. */
async function roundTrip(
  { run, folder }: Place,
  print: string,
  push: string,
  { format, edit = (text) => text }: { readonly format: string; readonly edit?: (text: string) => string },
) {
  const printed = expectEnd(await run(`${print} -o ${format}`), 0);
  const path = join(folder, `records.${format.split(' ')[0]}`);
  writeFileSync(path, edit(printed.stdout));
  const result = expectEnd(await run(`${push} ${path} -o ndjson`), 0);
  const outcomes = recordsIn(result);
  return {
    stderr: result.stderr,
    count: outcomes.length,
    words: [...new Set(outcomes.map(({ outcome }) => outcome))],
    changed: outcomes.filter(({ outcome }) => outcome === 'updated').map(({ changes }) => changes),
  };
}

/** All products and items of the service. */
function kept({ sandbox: { sandbox } }: Place): unknown {
  return sandbox.transact(({ state }) => [[...state.products.values()], [...state.orderItems.values()]]);
}

const oddNames = [
  '니트',
  '-5% sale',
  '=SUM(A1)',
  '+82 10 1234',
  "'=already quoted",
  "''-twice",
  '@home, "quoted"',
  '  blanks around  ',
  'two\nlines',
  '＝full width',
  '\t tab first',
  "plain'quote",
  'ㄱㅏ 조합',
  '👩‍👩‍👧 family',
  '007',
];

/** A service with oddly named products in groups and categories, one of which is primary. */
async function openShop(): Promise<Place> {
  const place = await openPlace({ products: 12, orders: 20, reviews: 30 });
  place.sandbox.sandbox.transact(({ state }) => {
    const [category, second] = [...state.categories.values()];
    for (const [index, name] of oddNames.entries()) {
      state.products.put({
        id: state.nextId(),
        originId: index % 3 === 0 ? `-odd-${index}` : `00${index}`,
        name,
        imageUrl: index % 2 === 0 ? null : `https://shop.example/${index}.jpg?a=1,2&b=%ED%95%9C`,
        url: 'https://shop.example/p',
        categories: [category, second].flatMap((one, position) =>
          one === undefined ? [] : [{ categoryId: one.id, isPrimary: position === 1 }],
        ),
        groupId: null,
        brand: null,
        isAlimtalkEnabled: index % 2 === 0,
        isReviewDisabled: index % 3 === 0,
      });
    }
  });
  return place;
}

const createOrders = 'POST /admin/v2/orders/bulk';
const getJob = 'GET /admin/v2/job/{jobId}';

/** A service with order A1 of two items at 1000 each, pushed with these flags. */
async function openOrder(flags: string, companyCode = 'cj') {
  const assumptions = { ...defaultAssumptions, createOrders, getJob };
  const place = await openPlace({ products: 0, assumptions });
  const products = place.write('products.csv', ['originId,name', 'P1,one', 'P2,two']);
  expectEnd(await place.run(`products push ${products}`), 0);
  const rows = ['A1,I1,P1,2026-01-02,색상=빨강', 'A1,I2,P2,2026-01-02,'];
  const columns = 'orderOriginId,originId,productOriginId,orderedAt,selectedOptions';
  const file = place.write('orders.csv', [columns, ...rows]);
  expectEnd(await place.run(`orders push ${file} --wait -c 'get-job=${getJob}' ${flags}`), 0);
  const visit = place.sandbox.sandbox.transact.bind(place.sandbox.sandbox);
  const orderId = visit(({ state }) => state.orders.first('originId', 'A1')?.id ?? '');
  const [item] = visit(({ state }) => {
    const items = [...state.orderItems.values()];
    const details = {
      paidPrice: 1000,
      status: 'DELIVERED',
      selectedOptions: [{ name: '색상', value: '빨강' }],
      shipment: { companyCode, trackingNumber: '0012', deliveredAt: '2026-01-02T03:04:05Z' },
    } as const;
    for (const one of items) state.orderItems.put({ ...one, ...details });
    return items;
  });
  return { place, orderId, itemId: item?.id ?? '', get: `orders get ${orderId}` };
}

/** Replaces the price of the first item in any format. */
function cheaper(text: string): string {
  return text.replace(/(?<![0-9])1000(?:\.0+)?(?![0-9])/, '900');
}

describe.each(formats)('what is printed as %s is pushed back as it is:', (format) => {
  const [list, push] = ['products list', 'products push'];

  test('products unedited are unchanged', async () => {
    const place = await openShop();
    const before = kept(place);
    const { words, count } = await roundTrip(place, list, push, { format });
    expect({ words, count }).toEqual({ words: ['unchanged'], count: 12 + oddNames.length });
    expect(kept(place)).toEqual(before);
  });

  test('of edited products exactly the edit is sent', async () => {
    const place = await openShop();
    const edit = (text: string) =>
      text
        .replace('-5% sale', '-7% sale')
        .replace('https://shop.example/3.jpg', 'https://shop.example/new.jpg');
    const { words, changed } = await roundTrip(place, list, push, { format, edit });
    expect(words.toSorted(byText)).toEqual(['unchanged', 'updated']);
    expect(changed).toEqual(
      expect.arrayContaining([
        { name: { from: '-5% sale', to: '-7% sale' } },
        { imageUrl: { from: expect.stringContaining('/3.jpg'), to: expect.stringContaining('/new.jpg') } },
      ]),
    );
    expect(changed).toHaveLength(2);
  });
});

describe('a listed product whose id and originId no longer belong together is rejected, and nothing is written:', () => {
  async function pushEdited(
    edit: (rows: readonly string[]) => readonly string[],
    ...flags: readonly string[]
  ) {
    const place = await openPlace({ products: 0 });
    const before = place.write('before.csv', ['originId,name', '003,Mug', '004,Pot']);
    expectEnd(await place.run(`products push ${before}`), 0);
    const kept3 = kept(place);
    const { stdout } = await place.run('products list -o csv --fields id,originId,name');
    const [header = '', ...rows] = stdout.trimEnd().split('\n');
    const ids = Object.fromEntries(rows.map((row) => row.split(',').slice(0, 2).toReversed()));
    const file = place.write('edited.csv', [header, ...edit(rows)]);
    const result = await place.run([`products push ${file}`, ...flags]);
    return { result, outcomes: recordsIn(result), ids, isKept: () => expect(kept(place)).toEqual(kept3) };
  }

  const withoutZeros = (rows: readonly string[]) => rows.map((row) => row.replace(/,0+/, ','));

  test.each([[[]], [['--dry-run']]])('an originId that lost its zeros %j', async (flags) => {
    const { result, outcomes, ids, isKept } = await pushEdited(withoutZeros, ...flags);
    expect(result).toMatchObject({ exitCode: 6, stderr: expect.not.stringContaining('not used') });
    const byId = new Map(outcomes.map(({ originId, ...rest }) => [originId, rest]));
    expect([...byId.keys()].toSorted(byText)).toEqual(['3', '4']);
    expect(byId.get('3')).toMatchObject({
      outcome: 'rejected',
      error: expect.stringContaining(`id ${ids['003']} belongs to product '003'`),
    });
    isKept();
  });

  test('but an id that is left out, or is no id of the service, keeps no product from being created', async () => {
    const { outcomes } = await pushEdited(withoutZeros, '--set', 'id=');
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
    const place = await openPlace({ products: 0 });
    for (const [name, header, ...flags] of [
      ['a.csv', 'ID,originId,name'],
      ['b.csv', 'id,상품코드,name'],
      ['c.csv', 'originId2,id,name', '--map', 'originId=id'],
    ] as const) {
      const file = place.write(name, [header, `${name}-1,${name}-2,Mug`]);
      const result = await place.run([`products push ${file}`, ...flags]);
      expect(recordsIn(result)).toMatchObject([{ outcome: 'created', originId: `${name}-2` }]);
    }
  });
});

describe.each(formats)('an order or item printed as %s is pushed back as it is:', (format) => {
  test('orders are pushed back as items, whose edits alone are sent, and refused as new ones', async () => {
    const { place, get } = await openOrder('--without-order-fields');
    const before = kept(place);
    const { stdout } = await place.run(`${get} -o ${format}`);
    const file = join(place.folder, `order.${format.split(' ')[0]}`);
    writeFileSync(file, stdout);
    for (const verb of ['push', 'inspect']) {
      const refused = expectEnd(await place.run(`orders ${verb} ${file} -o table`), 3);
      expect(refused.stdout + refused.stderr).toContain(`reviewctl order-items push ${file}`);
      expect(refused.stdout).not.toContain('HEADER');
    }
    expect(kept(place)).toEqual(before);
    const unchanged = await roundTrip(place, get, 'order-items push', { format });
    expect(unchanged).toMatchObject({ words: ['unchanged'], count: 2 });
    expect(kept(place)).toEqual(before);
    const edited = await roundTrip(place, get, 'order-items push', { format, edit: cheaper });
    expect(edited.words.toSorted(byText)).toEqual(['unchanged', 'updated']);
    expect(edited.changed).toEqual([{ paidPrice: { from: 1000, to: 900 } }]);
  });

  test('an item is unchanged where its order is known, and of an edited one exactly the edit is sent', async () => {
    const { place, orderId, itemId } = await openOrder(`-c 'create-orders=${createOrders}'`);
    const get = `order-items get ${orderId} ${itemId}`;
    const before = kept(place);
    const unchanged = await roundTrip(place, get, 'order-items push', { format });
    expect(unchanged).toMatchObject({ words: ['unchanged'], count: 1 });
    expect(kept(place)).toEqual(before);
    const edited = await roundTrip(place, get, 'order-items push', { format, edit: cheaper });
    expect(edited.changed).toEqual([{ paidPrice: { from: 1000, to: 900 } }]);
  });

  test('an item whose order nothing leads to is sent as it is once, and skipped from then on', async () => {
    const { place, orderId, itemId } = await openOrder('--without-order-fields', '04');
    const get = `order-items get ${orderId} ${itemId}`;
    const before = kept(place);
    const once = await roundTrip(place, get, 'order-items push', { format });
    const again = await roundTrip(place, get, 'order-items push', { format });
    expect([once.words, again.words]).toEqual([['updated'], ['skipped']]);
    expect(kept(place)).toEqual(before);
  });
});

test.each([
  ['the text of a table', 'ID   RATING  TEXT\n77   5  good\n', '-:1: this line is text, not an id'],
  ['a column of texts', '좋아요\n77\n', '-:1: this line is text, not an id'],
  ['a text below ids', '77\nnot an id\n', '-:2: this line is text, not an id'],
  ['a list without the ids', 'rating,text\n5,good\n', "-:1: there is no column 'id'"],
  ['records without the ids', '{"rating":5}\n', "-:1: no object with a text 'id'"],
  ['an array of records without the ids', '[{"rating":5}]\n', "-:1: there is no column 'id'"],
  ['a record without its id', 'id,text\n77,good\n,bad\n', "-:3: this record has no text 'id'"],
  ['an id that is a number', '{"id":77}\n', "-:1: no object with a text 'id'"],
  ['an id in an array that is a number', '[{"id":77}]\n', "-:1: this record has no text 'id'"],
  ['a login page', '<html>\n<body>\n<h1>로그인</h1>\n</body></html>\n', 'a web page (HTML) without a table'],
  ['a web page without the ids', '<table><tr><td>rating<tr><td>5</table>', "-:1: there is no column 'id'"],
  ['broken JSON', '[{"id":"77"},\n', 'the file ends inside the JSON'],
])('%s is taken for no ids, and nothing is called', async (_, stdin, message) => {
  const place = await openPlace();
  expectEnd(await place.run('reviews hide -', { stdin }), 2, message);
});
