import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { replyDifferences, type Write } from '../../src/push/fields/reply-differences.ts';

type Operation = Write['operation'];

const category = (originId: string, isPrimary = true) => ({ isPrimary, category: { id: '1', originId } });
const product = {
  id: '7',
  originId: 'P1',
  name: 'Mug',
  image: { url: 'https://shop.example/1.png' },
  categories: [category('C1'), category('C2')],
  group: { id: 'G1' },
  isAlimtalkEnabled: false,
  isReviewDisabled: true,
};
const item = {
  id: '5',
  originId: 'I1',
  status: 'RETURN',
  product: { id: '7', originId: 'P1', name: 'Mug' },
  selectedOptions: [
    { name: 'color', value: 'brown' },
    { name: 'size', value: 'L' },
  ],
  paidPrice: '12900',
  shipment: { companyCode: '04', trackingNumber: '693340618584', deliveredAt: '2026-11-20T00:00:00Z' },
};
const order = {
  id: '3',
  originId: 'O1',
  orderedAt: '2026-11-19T15:00:00Z',
  memberOriginId: 'm-77',
  alimtalkTemplateCode: 'T1',
  buyer: { name: '홍길동', phone: '010-1234-5678', email: 'hong@shop.example' },
  recipient: { name: '홍길동', phone: '010-1234-5678' },
  items: [item],
};

interface Field {
  readonly operation: Operation;
  readonly before: JsonObject;
  /** The field of the expected difference. */
  readonly field: string;
  readonly sent: JsonObject;
  /** Replies of a service that accepted the field, in several notations, and of one that did not. */
  readonly taken: readonly JsonObject[];
  readonly not: JsonObject;
}

const ofProduct = { operation: 'updateProduct', before: product } as const;
const ofItem = { operation: 'updateOrderItem', before: item } as const;
const ofOrder = { operation: 'updateOrder', before: order } as const;
const shipment = (changes: JsonObject) => ({ shipment: { ...item.shipment, ...changes } });
const buyer = (changes: JsonObject) => ({ buyer: { ...order.buyer, ...changes } });

/**
 * A field with the sent value and the values in replies with and without acceptance; `not` defaults to a reply without
 * the field.
 */
function field(
  of: Pick<Field, 'operation' | 'before'>,
  path: string,
  sent: Json,
  taken: readonly Json[],
  not?: Json,
): Field {
  const [name = '', part] = path.split('.');
  const inBody = (value: Json) => ({ [name]: part === undefined ? value : { [part]: value } });
  const shown = (value: Json) => ({
    [name]: part === undefined ? value : { ...(of.before[name] as JsonObject), [part]: value },
  });
  const left = not === undefined ? {} : shown(not);
  return { ...of, field: path, sent: inBody(sent), taken: taken.map(shown), not: left };
}

const ofReview = { operation: 'updateReview', before: { id: '1', isVisible: true } } as const;
const ofReward = { operation: 'updateReward', before: { id: '1', status: 'QUEUED' } } as const;

const fields: readonly Field[] = [
  field(ofProduct, 'name', 'Cup', ['Cup', ' Cup '], 'Jug'),
  field(ofProduct, 'isAlimtalkEnabled', true, [true, 'true', 1], 'false'),
  field(ofProduct, 'isReviewDisabled', false, [false], true),
  {
    ...ofProduct,
    field: 'categories',
    sent: { categories: [{ originId: 'C3' }, { originId: 'C4' }] },
    taken: [{ categories: [category('C4'), category('C3')] }],
    not: { categories: [category('C3')] },
  },
  {
    ...ofProduct,
    field: 'categories.C2.isPrimary',
    sent: {
      categories: [
        { originId: 'C1', isPrimary: true },
        { originId: 'C2', isPrimary: false },
      ],
    },
    taken: [{ categories: [category('C2', false), category('C1')] }],
    not: { categories: [category('C1'), category('C2')] },
  },
  {
    ...ofProduct,
    field: 'groupId',
    sent: { groupId: '2' },
    taken: [{ group: { id: '2' } }, { group: { id: 2 } }],
    not: { group: { id: '3' } },
  },
  {
    ...ofItem,
    field: 'productOriginId',
    sent: { productOriginId: '2' },
    taken: [{ product: { id: '9', originId: '2' } }, { product: { id: 9, originId: 2 } }],
    not: { product: { id: '7', originId: '02' } },
  },
  field(ofItem, 'status', 'CANCEL', ['CANCEL'], 'RETURN'),
  field(ofItem, 'paidPrice', 9900, ['9900', 9900, '9900.00'], '990'),
  field(
    ofItem,
    'selectedOptions',
    [
      { name: 'size', value: 'S' },
      { name: 'color', value: 'red' },
    ],
    [
      [
        { name: 'color', value: 'red ' },
        { name: 'size', value: 'S', id: 4 },
      ],
    ],
    [{ name: 'size', value: 'S' }],
  ),
  field(ofItem, 'shipment.trackingNumber', '123456789012', ['1234-5678-9012', 123_456_789_012]),
  field(ofItem, 'shipment.companyCode', '05', ['한진택배']),
  field(
    ofItem,
    'shipment.deliveredAt',
    '2026-11-21T09:00:00+09:00',
    ['2026-11-21T00:00:00.000Z', '2026-11-21 09:00'],
    '2026-11-21T09:00:00Z',
  ),
  field(ofOrder, 'orderedAt', '2026-11-20T00:00:00Z', ['2026-11-20T09:00:00+0900']),
  field(ofOrder, 'memberOriginId', '078', ['078', '0**'], 78),
  field(ofOrder, 'alimtalkTemplateCode', null, [null, '']),
  field(ofOrder, 'buyer.phone', '010-9999-8888', ['01099998888', '+82 10-9999-8888', '010-****-8888']),
  field(ofOrder, 'buyer.email', 'Kim@shop.example', ['kim@shop.example', 'k**@shop.example']),
  field(ofOrder, 'buyer.name', '김철수', ['김철수', '김*수']),
  {
    ...ofOrder,
    field: 'items.I1.status',
    sent: { items: [{ originId: 'I1', productOriginId: 'P1', status: 'DELIVERED' }] },
    taken: [
      {
        items: [
          { ...item, status: 'DELIVERED' },
          { ...item, originId: 'I2' },
        ],
      },
    ],
    not: {},
  },
  field(ofReview, 'isVisible', false, [false], true),
  field(ofReward, 'status', 'SUCCESS', ['SUCCESS'], 'SENDING'),
  {
    operation: 'createCategory',
    before: { id: '4', originId: 'C1', name: 'Mugs', isVisible: true, isReviewDisabled: false },
    field: 'isVisible',
    sent: { originId: 'C1', name: 'Mugs', isVisible: false, position: 3, parentOriginId: 'C0' },
    taken: [{ isVisible: false }],
    not: {},
  },
];

describe.each(fields)('$operation $field', ({ operation, before, field, sent, taken, not }) => {
  const differencesOf = (shown: JsonObject) =>
    replyDifferences({ operation, body: sent }, { ...before, ...shown });

  test('that was sent and is shown, in whatever notation, is no difference', () => {
    expect(taken.flatMap(differencesOf)).toEqual([]);
  });

  test('that was sent and not taken is one', () => {
    expect(differencesOf(not)).toMatchObject([{ field, wasSent: true }]);
  });

  test('that the reply leaves out proves nothing', () => {
    expect(replyDifferences({ operation, body: sent }, { id: '1' })).toEqual([]);
  });
});

const kept = fields.filter(
  ({ operation, field }) =>
    (operation === 'updateProduct' || operation === 'updateOrderItem') && field !== 'productOriginId',
);

test.each(kept)('$operation: $field that was not sent is a difference where it changed', (each) => {
  const { operation, before, field, taken } = each;
  const write = { operation, body: { productOriginId: 'P1' }, before };
  const [first = {}] = taken;
  const [top = ''] = field.split('.');
  const found = replyDifferences(write, { ...before, ...first });
  expect(found).toMatchObject([{ field: expect.stringMatching(`^${top}`), wasSent: false }]);
  expect(replyDifferences(write, before)).toEqual([]);
  expect(replyDifferences({ ...write, before: { id: '7' } }, { ...before, ...first })).toEqual([]);
});

test('null is a difference where the service showed a value before, sent or not; elsewhere it proves nothing', () => {
  const write = { operation: 'updateProduct', body: { name: 'Mug' }, before: product } as const;
  const emptied = replyDifferences(write, { ...product, name: null, group: null, categories: [] });
  expect(emptied).toMatchObject([
    { field: 'name', shown: null, wasSent: true },
    { field: 'categories', wasSent: false },
    { field: 'groupId', meant: 'G1', shown: null, wasSent: false },
  ]);
  const lost = replyDifferences({ ...ofItem, body: { productOriginId: 'P1' } }, { ...item, shipment: null });
  expect(lost.map(({ field }) => field)).toEqual([
    'shipment.companyCode',
    'shipment.trackingNumber',
    'shipment.deliveredAt',
  ]);
  const empty = { operation: 'updateProduct', body: { categories: [], name: '' } } as const;
  expect(replyDifferences(empty, { categories: null, name: null })).toEqual([]);
  const nulls = { name: null, categories: null, group: null, isAlimtalkEnabled: null, shipment: null };
  for (const { operation, sent } of fields) {
    expect(replyDifferences({ operation, body: sent }, { id: '7', ...nulls, status: null })).toEqual([]);
  }
});

test('what cannot be read, and what no body carries, proves nothing', () => {
  const write = { operation: 'updateProduct', body: { isReviewDisabled: true }, before: product } as const;
  const odd = {
    isReviewDisabled: 'perhaps',
    group: 'G9',
    categories: [{ isPrimary: true }],
    name: { ko: 'Mug' },
  };
  const others = { image: { url: 'https://cdn.example/7' }, reviewCount: 8, updatedAt: 'now' };
  expect(replyDifferences(write, { ...product, ...odd, ...others })).toEqual([]);
  const phone = { operation: 'updateOrder', body: buyer({ phone: '010-1' }), before: order } as const;
  expect(replyDifferences(phone, { ...order, ...buyer({ phone: ['010-2'] }) })).toEqual([]);
});

test('a write that says nothing, or of which nothing was known before, has no differences', () => {
  const writes: readonly Write[] = [
    { operation: 'createProduct' },
    { operation: 'createProduct', body: { name: undefined } },
    { operation: 'updateProduct', before: product },
    { operation: 'updateProduct', body: { name: 'Cup' }, before: { ...product, group: null } },
  ];
  for (const write of writes) {
    expect(replyDifferences(write, { ...product, name: 'Cup', group: { id: 'G9' } })).toEqual([]);
  }
});

test('what is no record among others is passed over', () => {
  const write = { operation: 'updateProduct', body: { name: 'Mug' }, before: product } as const;
  expect(replyDifferences(write, { ...product, categories: [null, ...product.categories] })).toEqual([]);
});

test('a group or product is the one that the record shows, whatever else it carries under the name of a body', () => {
  const ofGroup = { operation: 'updateProduct', body: { groupId: '2' } } as const;
  expect(replyDifferences(ofGroup, { groupId: '2', group: { id: '3' } })).toMatchObject([
    { field: 'groupId', meant: '2', shown: '3' },
  ]);
  const ofOther = { operation: 'updateOrderItem', body: { productOriginId: 'P2' } } as const;
  expect(replyDifferences(ofOther, { productOriginId: 'P2', product: { originId: 'P3' } })).toMatchObject([
    { field: 'productOriginId', meant: 'P2', shown: 'P3' },
  ]);
});

const sentName = { operation: 'updateProduct', body: { name: 'Mug' }, before: product } as const;
const sentItem = { operation: 'updateOrderItem', body: { status: 'RETURN' }, before: item } as const;
const sentOrder = { operation: 'updateOrder', body: { memberOriginId: 'm-77' }, before: order } as const;
const carried = { ...sentItem, before: { ...item, ...shipment({ carrier: 'CJ' }) } };
const none = { ...sentItem, before: { ...item, selectedOptions: [{ name: 'size', value: '' }] } };

it.each<[string, Write, JsonObject, readonly string[]]>([
  ['an empty list in place of a text', sentName, { ...product, name: [] }, ['name']],
  ['a masked name of a product', sentName, { ...product, name: 'M*g' }, ['name']],
  ['no categories at all', sentName, { ...product, categories: null }, ['categories']],
  [
    'another category',
    sentName,
    { ...product, categories: [category('C1'), category('C3')] },
    ['categories'],
  ],
  ['options that are none', sentItem, { ...item, selectedOptions: [null, null] }, ['selectedOptions']],
  ['options that are no list', sentItem, { ...item, selectedOptions: 'L' }, []],
  ['an option without its empty value', none, { ...item, selectedOptions: [{ name: 'size' }] }, []],
  [
    'a time within the same second',
    sentItem,
    { ...item, ...shipment({ deliveredAt: '2026-11-20T00:00:00.900Z' }) },
    [],
  ],
  [
    'a part of a shipment that was left out, and is shown as it was,',
    { ...carried, body: { shipment: { companyCode: '04', trackingNumber: '693340618584' } } },
    carried.before,
    ['shipment.deliveredAt'],
  ],
  ['a time that is none', sentItem, { ...item, ...shipment({ deliveredAt: '20T00Z' }) }, []],
  [
    'a time in place of one without its zone',
    { ...sentOrder, before: { ...order, orderedAt: '2026-11-19' } },
    order,
    [],
  ],
  [
    'a carrier that is none in place of another',
    { ...sentItem, before: { ...item, ...shipment({ companyCode: 'a boat' }) } },
    { ...item, ...shipment({ companyCode: 'a ship' }) },
    ['shipment.companyCode'],
  ],
])('%s is a difference only where it proves one', (_, write, shown, names) => {
  expect(replyDifferences(write, shown).map(({ field }) => field)).toEqual(names);
});

test('categories that the service did not show before are compared with nothing', () => {
  const before = { ...product, categories: [{ isPrimary: true }] };
  expect(replyDifferences({ ...sentName, before }, product)).toEqual([]);
});

test('an empty text and null are the same', () => {
  const write = { operation: 'updateProduct', body: { name: '' }, before: product } as const;
  expect(replyDifferences(write, { ...product, name: null })).toEqual([]);
  const emptied = { ...write, body: { name: null } };
  expect(replyDifferences(emptied, { ...product, name: '' })).toEqual([]);
  expect(replyDifferences(emptied, { ...product, name: '?' })).toHaveLength(1);
  expect(replyDifferences(emptied, product)).toMatchObject([{ field: 'name', meant: null, shown: 'Mug' }]);
});

test('an item that was added is looked for in the order of the reply', () => {
  const body = { originId: 'I2', productOriginId: 'P1', status: 'DELIVERED' };
  const write = { operation: 'addOrderItem', params: { orderId: '3' }, body } as const;
  const made = { ...item, originId: 'I2', status: 'DELIVERED' };
  expect(replyDifferences(write, { ...order, items: [item, made] })).toEqual([]);
  expect(replyDifferences(write, order)).toMatchObject([{ field: 'items', meant: ['I2'], shown: ['I1'] }]);
  expect(replyDifferences(write, { ...order, id: '4', items: [made] })).toMatchObject([{ field: 'id' }]);
});
