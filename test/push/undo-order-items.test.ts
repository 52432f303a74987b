import { expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import type { OrderItemUpdateRecord } from '../../src/input/records/record-kinds.ts';
import { undoOrderItemsFlow } from '../../src/push/undo/undo-order-items.ts';
import { personaNames, sandboxAs } from '../../src/sandbox/personas.ts';
import { noUndoLog, type UndoRecord } from '../../src/store/runs/undo-log.ts';
import { listingService } from './listing-service.ts';
import { addProduct, collect, entriesOf, heldIds, orderItems, type PushOptions } from './open-push.ts';
import { Life, type OpenUndo, openUndo, slowUndoLog } from './open-undo.ts';
import { record } from './updated-record.ts';

/** A service with products P1 and P2 and the items I1 and I2 of order O1, and how a row of a file names each. */
async function openItems(options: PushOptions = {}) {
  const open = await openUndo(options);
  addProduct(open);
  await open.api.call('createProduct', { body: { originId: 'P2', name: '치마' } });
  await open.orders(entriesOf(orderItems(2)));
  heldIds(open, 'orderItems');
  const orderId = open.sandbox.transact(({ state }) => state.orders.first('originId', 'O1')?.id ?? '');
  const [first, second] = ['I1', 'I2'].map((originId) => ({
    originId,
    id: itemOf(open, originId)?.id ?? '',
    order: { id: orderId },
  }));
  if (first === undefined || second === undefined) throw new Error('no items');
  return { open, first, second };
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
async function openChanged(options: PushOptions = {}) {
  const opened = await openItems(options);
  const { open, first, second } = opened;
  const before = [first, second].map((row) => ({ ...row, ...returned }));
  const after = [first, second].map((row) => ({ ...row, ...delivered }));
  await push(open, 'run1', before);
  await push(open, 'run2', after);
  return { ...opened, after };
}

function shown(open: OpenUndo) {
  return ['I1', 'I2'].map((originId) => {
    const { status, paidPrice } = itemOf(open, originId) ?? {};
    return { originId, status, paidPrice };
  });
}

const asBefore = ['I1', 'I2'].map((originId) => ({ originId, status: 'RETURN', paidPrice: 9900 }));

test('no update of an item leaves before what it replaces is kept', async () => {
  const events: string[] = [];
  const { open, first, second } = await openItems({
    around: (transport) => (request, signal) => {
      if (request.operation === 'updateOrderItem') events.push('sent');
      return transport(request, signal);
    },
  });
  const rows = [first, second].map((row) => ({ ...row, ...delivered }));
  await open.orderItems(entriesOf(rows), { undoLog: slowUndoLog(events), concurrency: 1 });
  expect(events).toEqual(['kept', 'sent', 'kept', 'sent']);
});

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

test('an undo is undone by another', async () => {
  const { open } = await openChanged();
  await open.undoItems('run2', 'run3');
  await open.undoItems('run3', 'run4');
  expect(shown(open)).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
});

test('an item of another product gets its product back', async () => {
  const { open, first } = await openItems();
  await push(open, 'run1', [{ ...first, productOriginId: 'P2' }]);
  const { outcomes } = await open.undoItems('run1', 'run2');
  expect(outcomes).toMatchObject([{ changes: { productOriginId: { from: 'P2', to: 'P1' } } }]);
  const productOf = () =>
    open.sandbox.transact(({ state }) => state.products.get(itemOf(open, 'I1')?.productId ?? '')?.originId);
  expect(productOf()).toBe('P1');
});

test('a shipment is written back whole, and left alone where a field would have to go or was added since', async () => {
  const { open, first, second } = await openItems();
  const shipment = { companyCode: '04', trackingNumber: '1111' };
  await push(open, 'run1', [
    { ...first, shipment },
    { ...second, shipment },
  ]);
  await push(open, 'run2', [
    { ...first, shipment: { companyCode: '05', trackingNumber: '2222' } },
    { ...second, shipment: { companyCode: '05', deliveredAt: '2026-01-02T03:04:05Z' } },
  ]);
  const { outcomes } = await open.undoItems('run2', 'run3');
  expect(outcomes).toMatchObject([
    { outcome: 'updated', changes: { shipment: { to: shipment } } },
    { outcome: 'rejected', error: expect.stringContaining('cannot take deliveredAt out of a shipment') },
  ]);
  open.sandbox.transact(({ state }) => {
    const item = itemOf(open, 'I1');
    if (item !== undefined)
      state.orderItems.put({ ...item, shipment: { ...shipment, deliveredAt: '2026-02-03T04:05:06Z' } });
  });
  expect((await open.undoItems('run3', 'run4')).outcomes[0]).toMatchObject({
    outcome: 'rejected',
    error: expect.stringMatching(/the service has .*2026-02-03.* now$/),
  });
});

test('what an update cannot empty is left alone, with both values', async () => {
  const { open, first } = await openItems();
  await push(open, 'run1', [{ ...first, ...delivered, selectedOptions: [{ name: 'Size', value: 'L' }] }]);
  const { outcomes } = await open.undoItems('run1', 'run2');
  expect(outcomes).toMatchObject([
    {
      outcome: 'rejected',
      changes: { selectedOptions: { to: [] } },
      error:
        'left alone: status was null, the run sent "DELIVERED", and an update cannot empty it; paidPrice was null, the run sent 12900.5, and an update cannot empty it; written back: selectedOptions',
    },
  ]);
});

test('an item that the push could not look at is left alone, as one that is gone', async () => {
  let isGone = false;
  const { open, first, second } = await openItems({
    around: (transport) => async (request, signal) => {
      const reply = await transport(request, signal);
      return isGone && request.operation === 'getOrderItem'
        ? { ...reply, status: 404, body: '{"detail":"no"}' }
        : reply;
    },
  });
  await push(open, 'run1', [
    { id: first.id, productOriginId: 'P1', ...delivered },
    { ...second, ...delivered },
  ]);
  isGone = true;
  expect((await open.undoItems('run1', 'run2')).outcomes).toMatchObject([
    { outcome: 'rejected', error: expect.stringContaining('is not known') },
    { outcome: 'rejected', error: 'the service does not have it any more' },
  ]);
});

test('the same file is sent again after an undo, also where the journal alone knows the item', async () => {
  const { open, first } = await openChanged();
  const unseen = { id: first.id, productOriginId: 'P1', ...delivered };
  expect((await push(open, 'run3', [unseen])).outcomes).toMatchObject([{ outcome: 'skipped' }]);
  await open.undoItems('run2', 'run4');
  expect((await push(open, 'run5', [unseen])).outcomes).toMatchObject([{ outcome: 'updated' }]);
});

test('a dry run writes nothing, in the journal neither', async () => {
  const { open, first } = await openChanged();
  const { outcomes } = await open.undoItems('run2', 'run3', { isDryRun: true });
  expect(outcomes).toMatchObject([{ outcome: 'updated' }, { outcome: 'updated' }]);
  expect(shown(open)).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
  const unseen = { id: first.id, productOriginId: 'P1', ...delivered };
  expect((await push(open, 'run4', [unseen])).outcomes).toMatchObject([{ outcome: 'skipped' }]);
  expect(await open.keptOf('run3')).toEqual([]);
});

test('killed at any moment, a push of items has kept what it replaced', async () => {
  for (let moment = 0; ; moment += 1) {
    const { open, first, second } = await openItems();
    await push(
      open,
      'run1',
      [first, second].map((row) => ({ ...row, ...returned })),
    );
    const life = new Life(moment);
    const after = [first, second].map((row) => ({ ...row, ...delivered }));
    await push(open, 'run2', after, life);
    await open.undoItems('run2', 'run3');
    expect({ moment, shown: shown(open) }).toEqual({ moment, shown: asBefore });
    if (!life.isOver) break;
  }
});

test('killed at any moment, an undo of items is finished by the next one, and the journal claims nothing undone', async () => {
  for (let moment = 0; ; moment += 1) {
    const { open, first, second } = await openChanged();
    const life = new Life(moment);
    await open.undoItems('run2', 'run3', { life });
    await open.undoItems('run2', 'run4');
    expect({ moment, shown: shown(open) }).toEqual({ moment, shown: asBefore });
    const unseen = [first, second].map(({ id }) => ({ id, productOriginId: 'P1', ...delivered }));
    expect((await push(open, 'run5', unseen)).outcomes).toMatchObject([
      { outcome: 'updated' },
      { outcome: 'updated' },
    ]);
    if (!life.isOver) break;
  }
});

it.each(personaNames)('a service that is %s gets its items back as they were', async (persona) => {
  const { open, first } = await openItems(sandboxAs(persona, { jobDelayMs: 0 }));
  const before = {
    ...first,
    ...returned,
    selectedOptions: [{ name: 'Size', value: '1' }],
    shipment: { companyCode: '04', trackingNumber: '123412341234', deliveredAt: '2026-01-02T03:04:05+09:00' },
  };
  await push(open, 'run1', [before]);
  const shipment = { companyCode: '05', trackingNumber: '999912341234' };
  const { outcomes: pushed } = await push(open, 'run2', [
    { ...first, ...delivered, shipment, selectedOptions: [{ name: 'Size', value: '2' }] },
  ]);
  expect(pushed).toMatchObject([{ outcome: 'updated' }]);
  expect((await open.undoItems('run2', 'run3')).outcomes).toMatchObject([{ outcome: 'updated' }]);
  expect((await push(open, 'run4', [before])).outcomes).toMatchObject([{ outcome: 'unchanged' }]);
});

/** What comes of an undo at a service that shows these items, whose journal takes no write. */
function undone(records: readonly UndoRecord[], items: Readonly<Record<string, object | number>>) {
  const noWrite = () => Promise.reject(new Error('written'));
  const flow = undoOrderItemsFlow({
    api: listingService({ records: items }).api,
    journal: { known: noWrite, itemsOf: noWrite, begin: noWrite, end: noWrite },
    undoLog: noUndoLog,
    concurrency: 1,
    stopping: new AbortController().signal,
  });
  return collect(flow.send(flow.decide(streamOf([records]))));
}

const changed = { ...record({ status: { from: 'RETURN', to: 'DELIVERED' } }), id: '7' };
const changedSince = { id: '7', status: 'CANCEL' };

it.each<[string, UndoRecord, object | number, object]>([
  ['is gone', changed, 404, { outcome: 'rejected', error: 'the service does not have it any more' }],
  ['was changed since', changed, changedSince, { outcome: 'rejected' }],
  ['cannot be looked at', changed, 503, { outcome: 'failed' }],
  [
    'was not seen before the run',
    { ...changed, kind: 'unseen' },
    changedSince,
    { outcome: 'rejected', error: expect.stringContaining('a column order.id names it') },
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
