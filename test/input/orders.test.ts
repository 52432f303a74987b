import { describe, expect, it } from 'vitest';
import { orderItemRecords } from '../../src/input/records/record-kinds.ts';
import { read, recordsOf } from './reading.ts';

const map = ['originId={orderOriginId}-{n}'];

describe('{n} numbers the rows of an order', () => {
  it('from 1, in the order of the file, wherever they stand', async () => {
    const content = 'orderOriginId,productOriginId\nA,P\nB,P\n A ,Q\nB,Q\nA,R\n';
    const { ids, problems } = await read(orderItemRecords, content, { map });
    expect(ids).toEqual(['A-1', 'B-1', 'A-2', 'B-2', 'A-3']);
    expect(problems).toEqual([]);
  });

  it('for as many orders as a year has', async () => {
    const orders = 40_000;
    const rows = Array.from({ length: 3 * orders }, (_, index) => `O${index % orders},P`);
    const content = `orderOriginId,productOriginId\n${rows.join('\n')}\n`;
    const { ids } = await read(orderItemRecords, content, { map });
    expect(ids).toEqual(rows.map((_, index) => `O${index % orders}-${Math.floor(index / orders) + 1}`));
  });

  it('counts a row that is refused, so that correcting it changes no other id', async () => {
    const rows = (status: string) => `orderOriginId,productOriginId,status\nA,P,\nA,Q,${status}\nA,R,\n`;
    const bad = await read(orderItemRecords, rows('odd'), { map });
    const good = await read(orderItemRecords, rows('RETURN'), { map });
    expect(bad.ids).toEqual(['A-1', 'A-3']);
    expect(good.ids).toEqual(['A-1', 'A-2', 'A-3']);
  });

  it('counts a row that cannot even be read', async () => {
    const content = 'orderOriginId,productOriginId\nA,P\nA,Q,surplus\nA,R\n';
    const { ids } = await read(orderItemRecords, content, { map });
    expect(ids).toEqual(['A-1', 'A-3']);
  });

  it('is proposed where the column taken for the id does not tell the lines of an order apart', async () => {
    const content = 'orderOriginId,originId,productOriginId\nA,1,P\nA,1,Q\n';
    const { problems } = await read(orderItemRecords, content);
    const remedy = expect.stringContaining("--map 'originId={orderOriginId}-{n}'");
    expect(problems).toMatchObject([{ line: 3, remedy }]);
  });

  it('stays within one file: an order in two of them is refused with both places', async () => {
    const file = (product: string) => `orderOriginId,productOriginId\nA,${product}\n`;
    const { problems } = await read(orderItemRecords, { a: file('P'), b: file('Q') }, { map });
    expect(problems).toMatchObject([{ file: 'b', line: 2, code: 'order-in-two-files' }]);
  });
});

const header = 'orderOriginId,originId,productOriginId,orderedAt,buyer.name,buyer.phone\n';

describe('a row that continues the order above', () => {
  it('has its order values blank and takes them over', async () => {
    const content = `${header}A,1,P,2026-09-30,김,010-1234\n,2,Q,,,\nB,3,P,,이,\n,4,P,,,\n`;
    const records = await recordsOf(orderItemRecords, content);
    const buyer = { name: '김', phone: '010-1234' };
    const ofA = { orderOriginId: 'A', orderedAt: '2026-09-30T00:00:00+09:00', buyer };
    const ofB = { orderOriginId: 'B', buyer: { name: '이' }, productOriginId: 'P' };
    expect(records).toEqual([
      { ...ofA, originId: '1', productOriginId: 'P' },
      { ...ofA, originId: '2', productOriginId: 'Q' },
      { ...ofB, originId: '3' },
      { ...ofB, originId: '4' },
    ]);
  });

  it('is numbered on by {n}', async () => {
    const content = 'orderOriginId,productOriginId,buyer.name\nA,P,김\n,Q,\nB,P,이\n';
    const { ids } = await read(orderItemRecords, content, { map });
    expect(ids).toEqual(['A-1', 'A-2', 'B-1']);
  });

  it('is none when it has another order value: its id is missing', async () => {
    const { problems } = await read(orderItemRecords, `${header}A,1,P,,김,\n,2,Q,,이,\n`);
    expect(problems).toMatchObject([{ line: 3, column: 'orderOriginId', code: 'missing' }]);
  });

  it('is none below a row that cannot be read, which may have begun another order', async () => {
    const { ids, problems } = await read(
      orderItemRecords,
      `${header}A,1,P,,김,\nB,2,P,,이,,one cell too many\n,3,Q,,,\n,4,Q,,,\nC,5,P,,박,\n`,
    );
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [3, 'ragged-row'],
      [4, 'missing'],
      [5, 'missing'],
    ]);
    expect(ids).toEqual(['1', '5']);
  });

  it('below a row that cannot be read is one that names the order, and so are blank ones below that', async () => {
    const { records, problems } = await read(
      orderItemRecords,
      `${header}A,1,P,,김,\nA,2,P,,,,one cell too many\nA,3,Q,,,\n,4,Q,,,\n`,
    );
    expect(problems).toMatchObject([{ line: 3, code: 'ragged-row' }]);
    const ofA = { orderOriginId: 'A', buyer: { name: '김' }, productOriginId: expect.anything() };
    expect(records).toEqual(['1', '3', '4'].map((originId) => ({ ...ofA, originId })));
  });
});

describe('a row without its order continues none', () => {
  it('in a file that says nothing of orders but their id', async () => {
    const { problems } = await read(
      orderItemRecords,
      'orderOriginId,originId,productOriginId\nA,1,P\n,2,Q\n',
    );
    expect(problems).toMatchObject([{ line: 3, column: 'orderOriginId', code: 'missing' }]);
  });

  it.each(['o.json', 'o.ndjson'])('in %s: an object without its order belongs to none', async (name) => {
    const items = [
      { orderOriginId: 'A', originId: '1', productOriginId: 'P', memberOriginId: 'kim' },
      { originId: '2', productOriginId: 'Q' },
      { orderOriginId: 'A', originId: '3', productOriginId: 'Q' },
    ];
    const lines = items.map((item) => JSON.stringify(item));
    const content = name === 'o.json' ? `[${lines.join(',\n')}]` : lines.join('\n');
    const { records, problems } = await read(orderItemRecords, { [name]: content });
    expect(problems).toMatchObject([{ line: 2, column: 'orderOriginId', code: 'missing' }]);
    expect(records).toEqual([items[0], items[2]]);
  });

  it('as the first row, and one that continues is refused with its order', async () => {
    const { problems } = await read(orderItemRecords, `${header},1,P,,,\n1.2E+9,2,P,,김,\n,3,P,,,\n`);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [2, 'missing'],
      [3, 'id-mangled'],
      [4, 'id-mangled'],
    ]);
  });
});

it('an order item is read from all its columns', async () => {
  const columns = {
    orderOriginId: '20260930-0000024',
    originId: '="20260930-0000024-01"',
    productOriginId: '00017',
    status: 'delivered',
    selectedOptions: '색상=브라운',
    paidPrice: '"12,900원"',
    'shipment.companyCode': '04',
    'shipment.trackingNumber': '0123-4567',
    'shipment.deliveredAt': '2026-10-02 11:00',
    orderedAt: '20260930143600',
    memberOriginId: 'kim',
    alimtalkTemplateCode: 'T1',
    'buyer.name': '김',
    'buyer.phone': '010-1234-5678',
    'buyer.email': 'kim@example.com',
    'recipient.name': '이',
    'recipient.phone': '01012345678',
  };
  const content = `${Object.keys(columns).join(',')}\n${Object.values(columns).join(',')}\n`;
  expect(Object.keys(columns)).toEqual(orderItemRecords.fields.map(({ path }) => path));
  expect(await recordsOf(orderItemRecords, content)).toEqual([
    {
      orderOriginId: '20260930-0000024',
      originId: '20260930-0000024-01',
      productOriginId: '00017',
      status: 'DELIVERED',
      selectedOptions: [{ name: '색상', value: '브라운' }],
      paidPrice: '12900',
      shipment: {
        companyCode: '04',
        trackingNumber: '01234567',
        deliveredAt: '2026-10-02T11:00:00+09:00',
      },
      orderedAt: '2026-09-30T14:36:00+09:00',
      memberOriginId: 'kim',
      alimtalkTemplateCode: 'T1',
      buyer: { name: '김', phone: '010-1234-5678', email: 'kim@example.com' },
      recipient: { name: '이', phone: '01012345678' },
    },
  ]);
});
