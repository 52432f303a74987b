import { expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { refuseRenumbered } from '../../src/push/compile/counted-orders.ts';

type Row = readonly [originId: string, productOriginId?: string];
type Sent = Readonly<Record<string, readonly Row[]>>;

const rowsOf = (orderOriginId: string, rows: readonly Row[]) =>
  rows.map(([originId, productOriginId]) => ({
    orderOriginId,
    originId,
    ...(productOriginId === undefined ? {} : { productOriginId }),
  }));

/** Which orders are refused of a file of these batches, where these items were sent before. */
function refusedOf(sent: Sent, ...batches: readonly ReturnType<typeof rowsOf>[]) {
  const itemsOf = async (orders: readonly string[]) =>
    new Map(
      orders.flatMap((order) => {
        const items = sent[order];
        return items === undefined
          ? []
          : [[order, new Map(items.map(([id, product]) => [id, product]))] as const];
      }),
    );
  return refuseRenumbered(() => streamOf(batches), { itemsOf });
}

const sent: Sent = {
  O: [
    ['O-1', 'P1'],
    ['O-2', 'P2'],
  ],
};
const same: readonly Row[] = [
  ['O-1', 'P1'],
  ['O-2', 'P2'],
];

it.each<[string, Sent, readonly (readonly Row[])[]]>([
  ['was never sent', {}, [same]],
  ['is as it was sent', sent, [same]],
  ['has another order of its rows', sent, [[...same].reverse()]],
  ['has one item more', sent, [[...same, ['O-3', 'P3']]]],
  ['lies in two batches', sent, [same.slice(0, 1), same.slice(1)]],
])('an order that %s is pushed', async (_, before, batches) => {
  expect(await refusedOf(before, ...batches.map((rows) => rowsOf('O', rows)))).toEqual(new Map());
});

const words = (rows: string) =>
  `the items of order O were sent as O-1 (P1), O-2 (P2), and the file has ${rows}; ids made with {n} must stay with ` +
  'their items: export the whole order again with its lines in the same order, or map a column that holds the id of ' +
  'each line';

it.each<[string, readonly (readonly Row[])[], string]>([
  ['lacks an item', [[['O-1', 'P1']]], words('O-1 (P1)')],
  [
    'has an item of another product',
    [
      [
        ['O-1', 'P2'],
        ['O-2', 'P2'],
      ],
    ],
    words('O-1 (P2), O-2 (P2)'),
  ],
  [
    'has another item in place of one',
    [
      [
        ['O-1', 'P1'],
        ['O-3', 'P2'],
      ],
    ],
    words('O-1 (P1), O-3 (P2)'),
  ],
  ['has none of the items', [[['O-9', 'P9']]], words('O-9 (P9)')],
  ['names no product', [[['O-1'], ['O-2', 'P2']]], words('O-1 (no product), O-2 (P2)')],
  ['lacks an item in two batches', [[['O-1', 'P1']], [['O-4', 'P4']]], words('O-1 (P1), O-4 (P4)')],
])('an order that %s is refused with both', async (_, batches, reason) => {
  const refused = await refusedOf(sent, ...batches.map((rows) => rowsOf('O', rows)));
  expect(refused).toEqual(new Map([['O', reason]]));
});

test('only the order that was numbered anew is refused, and of many items eight are named, by number', async () => {
  const ten = Array.from({ length: 10 }, (_, index): Row => [`O-${10 - index}`, 'P']);
  const others = rowsOf('N', [['N-1', 'P']]);
  const refused = await refusedOf({ O: ten, N: [['N-1', 'P']] }, others, rowsOf('O', ten.slice(0, 9)));
  expect([...refused.keys()]).toEqual(['O']);
  const eight = Array.from({ length: 8 }, (_, index) => `O-${index + 1} (P)`).join(', ');
  expect(refused.get('O')).toContain(`were sent as ${eight}, …, and the file has O-10 (P), O-9 (P)`);
  expect(refused.get('O')).toContain('O-3 (P), …; ids');
});
