import { describe, expect, it } from 'vitest';
import { recognizeExport } from '../../src/input/mapping/presets/recognize-export.ts';
import {
  categoryRecords,
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../../src/input/records/record-kinds.ts';
import { exportNames, readExport, recognizedExport } from './exports.ts';
import { read, recordsOf } from './reading.ts';
import { oneSheet } from './write-xlsx.ts';

const csv = (...rows: readonly string[]) => `${rows.join('\n')}\n`;

describe('a field is given by', () => {
  const header = '주문번호,originId,주문 상품,상품코드';

  it('--map before a column of its own name, before the preset, before names known anywhere', async () => {
    const file = csv('주문번호,품목별 주문번호,productOriginId,상품코드', 'O,I,own,code');
    const product = async (map: readonly string[]) =>
      (await recordsOf(orderItemRecords, file, { map })).map(({ productOriginId }) => productOriginId);
    expect(await product([])).toEqual(['own']);
    expect(await product(['productOriginId=상품코드'])).toEqual(['code']);
    const ofPreset = csv('주문번호,품목별 주문번호,상품품목코드,자체 상품코드', 'O,I,variant,mine');
    expect(await recordsOf(orderItemRecords, ofPreset)).toMatchObject([{ productOriginId: 'mine' }]);
  });

  it('a name known anywhere, where no preset knows the file', async () => {
    const records = await recordsOf(orderItemRecords, csv(`${header},수취인명`, 'O,I,x,P,이'));
    expect(records).toEqual([
      { orderOriginId: 'O', originId: 'I', productOriginId: 'P', recipient: { name: '이' } },
    ]);
  });

  it.each([
    ['order_id', 'goods_no'],
    ['주문 번호', '상품 번호(KR)'],
    ['주문번호'.normalize('NFD'), '상품코드'.normalize('NFD')],
    ['OrderNo', 'GOODS NO'],
  ])('a name in any spelling: %s', async (order, product) => {
    expect(await recordsOf(orderItemRecords, csv(`${order},originId,${product}`, 'O,I,P'))).toEqual([
      { orderOriginId: 'O', originId: 'I', productOriginId: 'P' },
    ]);
  });

  it('names for categories and for existing items, too', async () => {
    expect(await recordsOf(categoryRecords, csv('분류번호,분류명', '24,상의'))).toEqual([
      { originId: '24', name: '상의' },
    ]);
    const items = csv('상품주문번호,택배사,송장번호', 'I,한진택배,6933-4061-8584');
    expect(await recordsOf(orderItemUpdateRecords, items)).toEqual([
      { originId: 'I', shipment: { companyCode: '05', trackingNumber: '693340618584' } },
    ]);
  });
});

describe('what may mean different things', () => {
  it('stops with every way to choose, one line each', async () => {
    const { records, problems } = await read(productRecords, csv('상품번호,상품코드,상품명', '17,P0,a'));
    expect(records).toEqual([]);
    expect(problems).toEqual([
      {
        file: 'input',
        line: 1,
        code: 'ambiguous-columns',
        reason: 'originId can come from 상품코드 or 상품번호, which may mean different things',
        remedy: "choose one of them:\n--map 'originId=상품코드'\n--map 'originId=상품번호'",
      },
    ]);
  });

  it('is told of all fields at once', async () => {
    const { problems } = await read(
      orderItemRecords,
      csv('주문번호,originId,상품번호,상품코드,주문일시,결제일', 'O,I,1,P,2026-09-30,2026-10-01'),
    );
    expect(problems.map(({ reason }) => reason.split(' ')[0])).toEqual(['productOriginId', 'orderedAt']);
  });

  it('is no question where --map has chosen, or the field has a column of its own', async () => {
    const file = csv('상품번호,상품코드,name', '17,P0,a');
    expect(await recordsOf(productRecords, file, { map: ['originId=상품코드'] })).toMatchObject([
      { originId: 'P0' },
    ]);
    expect(await recordsOf(productRecords, csv('originId,상품번호,상품코드', 'x,17,P0'))).toEqual([
      { originId: 'x' },
    ]);
  });
});

describe('a missing item id', () => {
  it.each([
    ['of a known export', 'Name,Lineitem name,Lineitem sku', "--map 'originId={Name}-{n}'"],
    ['of any other file', '주문번호,상품코드', "--map 'originId={주문번호}-{n}'"],
    ['of a file with our own names', 'orderOriginId,productOriginId', "--map 'originId={orderOriginId}-{n}'"],
  ])('%s is proposed as the number within the order', async (_, header, hint) => {
    const file = csv(header, header.replaceAll(/[^,]+/g, 'x'));
    const { problems } = await read(orderItemRecords, file);
    expect(problems).toMatchObject([
      { line: 1, code: 'missing-columns', remedy: expect.stringContaining(hint) },
    ]);
  });

  it('of existing items can be the id of the service', async () => {
    expect(await recordsOf(orderItemUpdateRecords, csv('id,status', 'x1,RETURN'))).toEqual([
      { id: 'x1', status: 'RETURN' },
    ]);
    const { problems } = await read(orderItemUpdateRecords, csv('status', 'RETURN'));
    expect(problems).toMatchObject([{ reason: 'no column for id or originId, which order-items need' }]);
  });

  it('of existing items is counted only where their order is known', async () => {
    const options = { map: ['originId={x}-{n}'] };
    const { problems } = await read(orderItemUpdateRecords, csv('x,status', 'a,RETURN'), options);
    expect(problems).toMatchObject([{ line: 1, code: 'no-order' }]);
    const counted = csv('x,status,주문번호', 'a,RETURN,O', 'a,RETURN,O');
    const items = await recordsOf(orderItemUpdateRecords, counted, options);
    expect(items.map(({ originId }) => originId)).toEqual(['a-1', 'a-2']);
  });

  it('of one row is a problem of that row', async () => {
    const { problems } = await read(
      orderItemUpdateRecords,
      csv('id,originId,status', ',,RETURN', ',b,RETURN'),
    );
    expect(problems).toMatchObject([{ line: 2, code: 'missing', reason: 'id or originId is missing' }]);
  });
});

describe('an export is recognised by its headers', () => {
  const shopify = ['Handle', 'Title', 'Variant SKU'];

  it('on any of the first rows, in any order of columns', () => {
    expect(
      recognizeExport([['a notice'], ['x', ...shopify.toReversed()]], 'products', undefined),
    ).toMatchObject({
      name: 'shopify',
      row: 1,
      shape: { signature: shopify },
    });
  });

  it.each([
    [['상품주문번호', '주문번호', '수취인명', '수취인연락처1', '옵션정보', '상품번호'], 'smartstore'],
    [['상품주문번호', '주문번호', '구매자ID', '옵션정보', '상품번호'], 'smartstore'],
    [['상품주문번호', '배송방법', '택배사', '송장번호'], 'smartstore'],
    [['상품주문번호', '주문번호', '주문자명', '수취인명', '옵션정보', '상품번호'], undefined],
    [['주문번호', '구매자명', '수취인명', '수취인연락처1'], undefined],
  ])('Smartstore by what is its own, whichever columns the shop has chosen: %j', (header, name) => {
    expect(recognizeExport([['a notice'], header], 'orders', undefined)?.name).toBe(name);
  });

  it('not when part of its signature is missing, nor for another kind of record', () => {
    expect(recognizeExport([shopify.slice(1)], 'products', undefined)).toBeUndefined();
    expect(recognizeExport([shopify], 'orders', undefined)).toBeUndefined();
  });

  it('and what the user says goes first', () => {
    expect(recognizeExport([shopify], 'products', 'none')).toBeUndefined();
    expect(recognizeExport([['a', 'b']], 'products', 'shopify')).toMatchObject({
      name: 'shopify',
      row: undefined,
    });
  });

  it.each([
    ['shopfy', 'products', "there is no preset 'shopfy'"],
    ['woocommerce', 'orders', 'the preset woocommerce has no export of orders'],
  ] as const)('a preset that cannot be meant stops the run: %s', (name, kind, message) => {
    expect(() => recognizeExport([], kind, name)).toThrow(message);
  });

  it.each(exportNames)('%s', async (name) => {
    const [system, noun] = name.split('-');
    const recognized = await recognizedExport(name, noun === 'products' ? 'products' : 'orders');
    expect(recognized?.preset?.name).toBe(system);
  });
});

describe('an export of something else', () => {
  const file = csv('주문번호,품목별 주문번호,상품코드,상품명', 'O,I,P,하나');

  it('stops, and says what it is and how to push it', async () => {
    const { records, problems } = await read(productRecords, file);
    expect(records).toEqual([]);
    expect(problems.map((problem) => ({ ...problem, remedy: String(problem.remedy) }))).toEqual([
      {
        file: 'input',
        code: 'other-export',
        reason:
          'this is a cafe24 export of orders, not of products: the header has 주문번호, 품목별 주문번호',
        remedy:
          'push it with reviewctl orders push; if it is meant to be read as products, add --preset none',
      },
    ]);
  });

  it('is read all the same when the user says so', async () => {
    expect(await recordsOf(productRecords, file, { preset: 'none' })).toEqual([
      { originId: 'P', name: '하나' },
    ]);
  });
});

describe('Shopify products', () => {
  it('are one record a Handle; further variants and images add none', async () => {
    const products = await readExport('shopify-products', productRecords);
    expect(products.map(({ originId, name }) => [originId, name])).toEqual([
      ['overfit-hood', 'Overfit Hood'],
      ['mug-350', 'Mug 350 ml ☕'],
      ['canvas-bag', 'Canvas Bag'],
    ]);
  });

  it('pushed by SKU are one record a variant, with the title of their product', async () => {
    const products = await readExport('shopify-products', productRecords, ['originId=Variant SKU']);
    expect(products.map(({ originId, name }) => [originId, name])).toEqual([
      ['HOOD-BR-L', 'Overfit Hood'],
      ['HOOD-BK-M', 'Overfit Hood'],
      ['HOOD-BK-L', 'Overfit Hood'],
      ['MUG-1', 'Mug 350 ml ☕'],
      ['BAG-1', 'Canvas Bag'],
    ]);
    const lines = await readExport('shopify-orders', orderItemRecords, ['originId={Name}-{n}']);
    const known = new Set(products.map(({ originId }) => originId));
    expect(lines.filter(({ productOriginId }) => !known.has(productOriginId))).toEqual([]);
  });

  it('pushed by SKU, a variant without one is told, and only further images are passed over', async () => {
    const rows = [
      'Handle,Title,Option1 Value,Variant SKU,Image Src,Image Position,Image Alt Text',
      'a,A,L,1,,,',
      'a,,M,,,,',
      'a,,,,https://shop.example/2.jpg,2,back',
    ];
    const { problems, ids } = await read(productRecords, csv(...rows), { map: ['originId=Variant SKU'] });
    expect(problems).toMatchObject([{ line: 3, column: 'Variant SKU', code: 'missing' }]);
    expect(problems).toHaveLength(1);
    expect(ids).toEqual(['1']);
  });

  it('a Handle that comes again with a title is a duplicate, not a continuation', async () => {
    const { problems } = await read(productRecords, csv('Handle,Title,Variant SKU', 'a,A,1', 'a,A again,2'));
    expect(problems).toMatchObject([{ line: 3, code: 'duplicate-origin-id' }]);
  });
});

describe('Shopify orders', () => {
  it('have their order values on the first row, and all lines have them', async () => {
    const lines = await readExport('shopify-orders', orderItemRecords, ['originId={Name}-{n}']);
    expect(lines.map(({ originId, orderedAt, buyer }) => [originId, orderedAt, buyer?.name])).toEqual([
      ['#1001-1', '2026-04-05T20:45:56+05:00', 'Ada Example'],
      ['#1001-2', '2026-04-05T20:45:56+05:00', 'Ada Example'],
      ['#1002-1', '2026-04-06T07:59:58+05:00', 'Bo Placeholder'],
      ['#1002-2', '2026-04-06T07:59:58+05:00', 'Bo Placeholder'],
      ['#1002-3', '2026-04-06T07:59:58+05:00', 'Bo Placeholder'],
    ]);
  });

  it('their Id is not the id of an item', async () => {
    const file = csv('Name,Lineitem name,Lineitem sku,Id', '#1,a,A,5550000000001');
    const items = await recordsOf(orderItemUpdateRecords, file, { map: ['originId={Name}-{n}'] });
    expect(items).toEqual([{ originId: '#1-1', productOriginId: 'A', orderOriginId: '#1' }]);
  });
});

describe('the other exports', () => {
  it('Cafe24: quoted HTML over many lines, ids with their zeros, images below the address of the shop', async () => {
    const products = await readExport('cafe24-products', productRecords, ['originId=상품코드']);
    expect(products[0]).toEqual({
      originId: 'P000000R',
      name: '오버핏 후드 (기모)',
      imageUrl: 'https://shop.example/images/20250730/hood.jpg',
      categories: [{ originId: '24' }, { originId: '57' }],
    });
  });

  it('Cafe24: codes for the status, of which those in progress leave it alone', async () => {
    const row = (item: string, status: string) => `O,${item},P,${status}`;
    const { records, problems } = await read(
      orderItemRecords,
      csv(
        '주문번호,품목별 주문번호,상품코드,주문상태',
        row('1', 'N40'),
        row('2', 'C47'),
        row('3', 'R40'),
        row('4', 'E40'),
        row('5', 'N30'),
      ),
    );
    const statuses = ['DELIVERED', 'CANCEL', 'RETURN', 'EXCHANGE', undefined];
    expect(records.map(({ status }) => status)).toEqual(statuses);
    expect(problems).toEqual([]);
  });

  it('Smartstore: the notice above the header is passed over, options are taken apart', async () => {
    const [first, second] = await readExport('smartstore-orders', orderItemRecords);
    expect(first).toMatchObject({
      originId: '2026093014360011',
      selectedOptions: [
        { name: '색상', value: '브라운' },
        { name: '사이즈', value: 'L' },
      ],
    });
    expect(second?.selectedOptions).toEqual([{ name: '옵션', value: '단일 사이즈' }]);
  });

  it('Godomall: labels and hints are no records, zeros of ids stay', async () => {
    const products = await readExport('godomall-products', productRecords);
    expect(products.map(({ originId }) => originId)).toEqual(['1000000101', '1000000102', '0000000103']);
  });

  it('Godomall: without the labels above its keys the first row is a record like any other', async () => {
    const file = csv('goods_no,goods_name,category_code', '1,하나,', '2,둘,');
    for (const content of [file, `a notice,,\n${file}`]) {
      expect(await recordsOf(productRecords, content)).toEqual([
        { originId: '1', name: '하나' },
        { originId: '2', name: '둘' },
      ]);
    }
  });

  it('Godomall: where the hints below its keys were deleted, the first product is not taken for them', async () => {
    const rows = [
      '상품번호,상품명,카테고리 코드',
      'goods_no,goods_name,category_code',
      '0001,하나,',
      '2,둘,',
    ];
    const expected = [
      { originId: '0001', name: '하나' },
      { originId: '2', name: '둘' },
    ];
    expect(await recordsOf(productRecords, csv(...rows))).toEqual(expected);
    const sheet = oneSheet(rows.map((row) => row.split(',')));
    expect(await recordsOf(productRecords, sheet)).toEqual(expected);
  });

  it('WooCommerce: variations are products, categories are paths, the first image counts', async () => {
    const products = await readExport('woocommerce-products', productRecords);
    expect(products.map(({ originId }) => originId)).toEqual([
      'hood',
      'hood-brown-l',
      'hood-black-m',
      'MUG-1',
      '007',
    ]);
    expect(products[0]).toMatchObject({
      imageUrl: 'https://shop.example/wp-content/uploads/2026/09/hood.jpg',
      categories: [{ originId: 'Tops > Hoodies' }, { originId: 'Sale' }],
    });
    expect(products.at(-1)?.categories).toEqual([{ originId: 'Bags, Pouches > Canvas' }]);
  });
});

describe('a cell of the wrong kind says what it seems to be', () => {
  const fields = {
    'shipment.trackingNumber': [
      '부재시 문 앞에 놓아주세요',
      'this is not a tracking number: perhaps a delivery message',
    ],
    'shipment.companyCode': [
      '6933-4061-8584',
      'this is a long number, not a carrier: perhaps a tracking number',
    ],
    'buyer.phone': ['김하늘', 'this is not a phone number'],
    'buyer.email': ['010-1234-5678', 'this is not an e-mail address'],
    paidPrice: ['무료', 'this is not an amount of money'],
    orderedAt: ['24-Oct', 'Excel has shortened this date: the year is lost'],
    status: ['발송', 'the service does not have this status'],
    memberOriginId: [
      'hane****',
      'this member id is masked: several people may share it, and rewards are paid by it',
    ],
    selectedOptions: ['브라운', 'these are not options with their values'],
    alimtalkTemplateCode: [
      '5.54E+08',
      'Excel has converted this id to a number in scientific notation: digits are lost',
    ],
  } as const;

  it.each(Object.entries(fields))('%s', async (field, [cell, reason]) => {
    const { problems } = await read(
      orderItemRecords,
      csv(`orderOriginId,originId,productOriginId,${field}`, `O,I,P,${cell}`),
    );
    expect(problems).toMatchObject([{ line: 2, column: field, value: cell, reason }]);
  });

  it('and a proposed way out leaves the field out', async () => {
    const file = csv('orderOriginId,originId,productOriginId,status', 'O,I,P,배송중');
    expect(await recordsOf(orderItemRecords, file, { set: ['status='] })).toEqual([
      { orderOriginId: 'O', originId: 'I', productOriginId: 'P' },
    ]);
  });
});

it('그룹명 is the name of the product group', async () => {
  const records = await recordsOf(productRecords, 'originId,name,그룹명,진열상태\nP1,머그,여름,Y\n');
  expect(records).toEqual([{ originId: 'P1', name: '머그', groupName: '여름' }]);
});

it.each(['대표이미지', '이미지', '상품 이미지'])(
  '%s is an image where its cells are web addresses, and else named as unused with the field',
  async (column) => {
    const header = `originId,name,${column}\n`;
    const imageUrl = 'https://shop.example/1.jpg';
    expect(await recordsOf(productRecords, `${header}P1,머그,\nP2,컵,${imageUrl}\n`)).toEqual([
      { originId: 'P1', name: '머그' },
      { originId: 'P2', name: '컵', imageUrl },
    ]);
    const unused = await read(productRecords, `${header}P1,머그,Y\nP2,컵,${imageUrl}\n`);
    const hint = expect.stringContaining(`imageUrl=${column}`);
    expect(unused).toMatchObject({
      problems: [],
      notices: [{ message: `columns not used: ${column}`, hint }],
    });
    expect(unused.entries.map(({ record }) => record.imageUrl)).toEqual([undefined, undefined]);
  },
);
