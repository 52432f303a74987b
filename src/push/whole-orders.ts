import type { OrderItemRecord } from '../input/record-kinds.ts';
import type { BulkUnit } from './bulk.ts';
import { type BulkStep, type Decided, outcomeOfDecision } from './journaled.ts';
import { orderItemEntry, orderItemUnit } from './order-item-entry.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** Rows of one order that are read as one; more are rejected, so that a column mapped wrongly cannot fill the memory. */
const itemsPerOrderMaximum = 10_000;

/** A request of whole orders is sent when it holds so many items, however few orders they make. */
const itemsPerRequestMaximum = 2000;

type Row = Decided<OrderItemRecord>;

/** What is sent of an item row when orders are created whole; a change of any of it is a change of the row. */
export function wholeOrderRowContent(record: OrderItemRecord) {
  return { ...orderItemEntry(record), ...orderFieldsOf([record]) };
}

/**
 * Groups item rows into orders, and orders into requests of at most `batchSize`. An order of which no item was ever
 * sent is created whole; items that are new in an order sent before are added by the bulk creation of order items. Rows of one
 * order stand together in the input; a row that comes after its order was closed is rejected.
 */
export async function* planWholeOrders(
  batches: AsyncIterable<readonly Row[]>,
  batchSize: number,
): AsyncGenerator<BulkStep> {
  const closedOrders = new Set<string>();
  let orders: BulkUnit[] = [];
  let items: BulkUnit[] = [];
  for await (const rows of rowsByOrder(batches)) {
    const { order, added, outcomes } = planOrder(rows, closedOrders.has(orderOriginIdOf(rows)));
    closedOrders.add(orderOriginIdOf(rows));
    if (outcomes.length > 0) yield { kind: 'decided', outcomes };
    if (order !== undefined) orders.push(order);
    items.push(...added);
    if (orders.length >= batchSize || countRecords(orders) >= itemsPerRequestMaximum) {
      yield { kind: 'send', operation: 'createOrders', units: orders };
      orders = [];
    }
    while (items.length >= batchSize) {
      yield { kind: 'send', operation: 'bulkCreateOrderItems', units: items.slice(0, batchSize) };
      items = items.slice(batchSize);
    }
  }
  if (orders.length > 0) yield { kind: 'send', operation: 'createOrders', units: orders };
  if (items.length > 0) yield { kind: 'send', operation: 'bulkCreateOrderItems', units: items };
}

/** Runs of rows with the same order id. */
async function* rowsByOrder(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Row[]> {
  let open: Row[] = [];
  for await (const batch of batches) {
    for (const row of batch) {
      const isSameOrder = open[0]?.entry.record.orderOriginId === row.entry.record.orderOriginId;
      if (open.length > 0 && (!isSameOrder || open.length === itemsPerOrderMaximum)) {
        yield open;
        open = [];
      }
      open.push(row);
    }
  }
  if (open.length > 0) yield open;
}

interface OrderPlan {
  readonly order?: BulkUnit;
  readonly added: readonly BulkUnit[];
  readonly outcomes: readonly Outcome[];
}

function planOrder(rows: readonly Row[], isClosed: boolean): OrderPlan {
  const toSend = rows.filter(({ decision }) => decision.kind === 'send');
  const outcomes = rows.flatMap(({ record, decision }) =>
    decision.kind === 'send' ? [] : [outcomeOfDecision(record, decision)],
  );
  if (outcomes.length > 0) return { added: toSend.map(orderItemUnit), outcomes };
  if (isClosed) {
    return rejectAll(
      rows,
      `the rows of order ${orderOriginIdOf(rows)} must stand together, at most ${itemsPerOrderMaximum}; sort the file by order`,
    );
  }
  const fields = orderFieldsOf(rows.map(({ entry }) => entry.record));
  if (fields.orderedAt === undefined) return rejectAll(rows, 'orderedAt is needed to create an order');
  return { order: orderUnit(rows, fields), added: [], outcomes };
}

function rejectAll(rows: readonly Row[], error: string): OrderPlan {
  return { added: [], outcomes: rows.map(({ record }) => outcomeOf(record, 'rejected', { error })) };
}

function orderUnit(rows: readonly Row[], fields: ReturnType<typeof orderFieldsOf>): BulkUnit {
  const originId = orderOriginIdOf(rows);
  const items = rows.map(({ entry }) => ({
    originId: entry.record.originId,
    productOriginId: entry.record.productOriginId,
  }));
  return { originId, body: { originId, ...fields, items }, records: rows.map(({ record }) => record) };
}

/** The fields of an order (assumption `createOrders`), each from the first row that has it. */
function orderFieldsOf(rows: readonly OrderItemRecord[]) {
  const first = <K extends keyof OrderItemRecord>(field: K) =>
    rows.find((row) => row[field] !== undefined)?.[field];
  return {
    orderedAt: first('orderedAt'),
    memberOriginId: first('memberOriginId'),
    alimtalkTemplateCode: first('alimtalkTemplateCode'),
    buyer: first('buyer'),
    recipient: first('recipient'),
  };
}

function orderOriginIdOf(rows: readonly Row[]): string {
  return rows[0]?.entry.record.orderOriginId ?? '';
}

function countRecords(units: readonly BulkUnit[]): number {
  return units.reduce((count, unit) => count + unit.records.length, 0);
}
