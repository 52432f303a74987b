import { expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import type { OrderItemUpdateRecord } from '../../src/input/records/record-kinds.ts';
import { undoOrderItemsFlow } from '../../src/push/undo/undo.ts';
import { personaNames, sandboxAs } from '../../src/sandbox/personas.ts';
import { noUndoLog, type UndoRecord } from '../../src/store/runs/undo-log.ts';
import { listingService } from './listing-service.ts';
import {
  addProduct,
  collect,
  countedWords,
  entriesOf,
  heldIds,
  orderItems,
  type PushOptions,
} from './open-push.ts';
import { Life, type OpenUndo, openUndo } from './open-undo.ts';
import { record } from './updated-record.ts';

/** A service with the items I1 and I2 of order O1, and a function for rows that set fields of both. */
async function openItems(options: PushOptions = {}) {
  const open = await openUndo(options);
  addProduct(open);
  await open.orders(entriesOf(orderItems(2)));
  heldIds(open, 'orderItems');
  const rows = (fields: OrderItemUpdateRecord) =>
    ['I1', 'I2'].map((originId) => {
      const { id = '', orderId = '' } = itemOf(open, originId) ?? {};
      return { originId, id, order: { id: orderId }, ...fields };
    });
  return { open, rows };
}

function itemOf({ sandbox }: OpenUndo, originId: string) {
  return sandbox.transact(({ state }) => state.orderItems.first('originId', originId));
}

function push(open: OpenUndo, run: string, records: readonly OrderItemUpdateRecord[], life?: Life) {
  return open.inRun(run, (tools) => open.orderItems(entriesOf(records), tools), life);
}

const returned = { status: 'RETURN', paidPrice: '9900' } as const;
const delivered = { status: 'DELIVERED', paidPrice: '12900.5' } as const;

/** Items that run1 returned and run2 delivered. */
async function openChanged() {
  const opened = await openItems();
  await push(opened.open, 'run1', opened.rows(returned));
  await push(opened.open, 'run2', opened.rows(delivered));
  return opened;
}

/** Updates of items whose order is unknown. */
const unseen = (rows: readonly { readonly id: string }[]) =>
  rows.map(({ id }) => ({ id, productOriginId: 'P1', ...delivered }));

function shown(open: OpenUndo) {
  return ['I1', 'I2'].map((originId) => {
    const { status, paidPrice } = itemOf(open, originId) ?? {};
    return { originId, status, paidPrice };
  });
}

const asBefore = ['I1', 'I2'].map((originId) => ({ originId, status: 'RETURN', paidPrice: 9900 }));

test('an undo looks at each item and writes back what the run replaced', async () => {
  const { open } = await openChanged();
  const { outcomes } = await open.undoItems('run2', 'run3');
  const changes = {
    status: { from: 'DELIVERED', to: 'RETURN' },
    paidPrice: { from: 12_900.5, to: 9900 },
  };
  expect(outcomes).toMatchObject([
    { file: 'input.csv', line: 2, originId: 'I1', outcome: 'updated', changes },
    { file: 'input.csv', line: 3, originId: 'I2', outcome: 'updated', changes },
  ]);
  expect(shown(open)).toEqual(asBefore);
  expect((await open.undoItems('run2', 'run4')).outcomes).toMatchObject([
    { outcome: 'unchanged' },
    { outcome: 'unchanged' },
  ]);
});

test('a dry run writes nothing, in the journal neither', async () => {
  const { open, rows } = await openChanged();
  const { outcomes } = await open.undoItems('run2', 'run3', { isDryRun: true });
  expect(outcomes).toMatchObject([{ outcome: 'updated' }, { outcome: 'updated' }]);
  expect(shown(open)).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
  expect(countedWords((await push(open, 'run4', unseen(rows({})))).outcomes)).toEqual({ skipped: 2 });
  expect((await open.undoItems('run3', 'run5')).outcomes).toEqual([]);
});

test('killed at any moment, a push of items has kept what it replaced', async () => {
  for (let moment = 0; ; moment += 1) {
    const { open, rows } = await openItems();
    await push(open, 'run1', rows(returned));
    const life = new Life(moment);
    await push(open, 'run2', rows(delivered), life);
    await open.undoItems('run2', 'run3');
    expect({ moment, shown: shown(open) }).toEqual({ moment, shown: asBefore });
    if (!life.isOver) break;
  }
});

test('killed at any moment, an undo of items is finished by the next one, and the journal claims nothing undone', async () => {
  for (let moment = 0; ; moment += 1) {
    const { open, rows } = await openChanged();
    const life = new Life(moment);
    await open.undoItems('run2', 'run3', { life });
    await open.undoItems('run2', 'run4');
    expect({ moment, shown: shown(open) }).toEqual({ moment, shown: asBefore });
    expect(countedWords((await push(open, 'run5', unseen(rows({})))).outcomes)).toEqual({ updated: 2 });
    if (!life.isOver) break;
  }
});

it.each(personaNames)('a service that is %s gets its items back as they were', async (persona) => {
  const { open, rows } = await openItems(sandboxAs(persona, { jobDelayMs: 0 }));
  const before = rows({
    ...returned,
    selectedOptions: [{ name: 'Size', value: '1' }],
    shipment: { companyCode: '04', trackingNumber: '123412341234', deliveredAt: '2026-01-02T03:04:05+09:00' },
  });
  await push(open, 'run1', before);
  const shipment = { companyCode: '05', trackingNumber: '999912341234' };
  const after = rows({ ...delivered, shipment, selectedOptions: [{ name: 'Size', value: '2' }] });
  expect(countedWords((await push(open, 'run2', after)).outcomes)).toEqual({ updated: 2 });
  expect(countedWords((await open.undoItems('run2', 'run3')).outcomes)).toEqual({ updated: 2 });
  expect(countedWords((await push(open, 'run4', before)).outcomes)).toEqual({ unchanged: 2 });
});

/** The outcomes of an undo at a service with these items; the journal must not be written. */
function undone(records: readonly UndoRecord[], items: Readonly<Record<string, object | number>>) {
  const noWrite = () => Promise.reject(new Error('written'));
  const flow = undoOrderItemsFlow({
    api: listingService({ records: items }).api,
    journal: { known: noWrite, begin: noWrite, end: noWrite, record: noWrite },
    undoLog: noUndoLog,
    concurrency: 1,
    stopping: new AbortController().signal,
  });
  return collect(flow.send(flow.decide(streamOf([records]))));
}

const changed = { ...record({ status: { from: 'RETURN', to: 'DELIVERED' } }), id: '7' };
const changedSince = { id: '7', status: 'CANCEL' };

it.each<[string, UndoRecord, object | number, object]>([
  ['is gone', changed, 404, { outcome: 'rejected', error: 'the service no longer has it' }],
  ['was changed since', changed, changedSince, { outcome: 'rejected' }],
  ['cannot be looked at', changed, 503, { outcome: 'failed' }],
  [
    'was not seen before the run',
    { ...changed, kind: 'unseen' },
    changedSince,
    { outcome: 'rejected', error: expect.stringContaining('with a column order.id in the file') },
  ],
])('of an item that %s the journal forgets nothing', async (_, undo, item, outcome) => {
  const { originId, line } = changed;
  const { outcomes } = await undone([undo], { 7: item });
  expect(outcomes).toEqual([expect.objectContaining({ originId, line, ...outcome })]);
});

test('an undo ends with the fifth item in a row that cannot be looked at, and not before', async () => {
  const ids = ['1', '2', '3', '4', 'well', '5', '6', '7', '8'];
  const items = Object.fromEntries(ids.map((id) => [id, id === 'well' ? { ...changedSince, id } : 503]));
  const of = (id: string) => ({ ...changed, id });
  const told = { message: expect.stringContaining('getOrderItem') };
  const nearly = await undone(ids.map(of), items);
  expect({ count: nearly.outcomes.length, error: nearly.error }).toMatchObject({ count: 9, error: told });
  const ended = await undone([...ids, '9'].map(of), { ...items, 9: 503 });
  expect({ count: ended.outcomes.length, error: ended.error }).toMatchObject({ count: 0, error: told });
});
