import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { SeenIds } from '../../base/id-set.ts';
import type { Api } from '../../client/caller.ts';
import { itemsPerOrderMaximum } from '../../input/orders/order-agreement.ts';
import type { OrderItemRecord } from '../../input/records/record-kinds.ts';
import { orderItemContent, orderItemEntry } from '../compile/order-item-entry.ts';
import type { CompiledItem } from '../compile/order-items.ts';
import { textOf } from '../compile/sendable-record.ts';
import { decide, isUnderWay, type PushDecision } from '../decide/decide.ts';
import { orderFieldsOf, otherOwner, ownerHash, ownerValues } from '../fields/order-fields.ts';
import type { BulkEntry, Settled } from '../plan/request.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import {
  type BulkPush,
  type DecidedRecord,
  type ItemUpdate,
  itemUpdate,
  type JournaledRequest,
} from './journaled.ts';

/** The number of items that completes a request of whole orders, however few orders they belong to. */
const itemsPerRequestMaximum = 2000;

/** An item with the fields of its row, including those of its order, and the decision on the order. */
interface Row extends DecidedRecord<CompiledItem> {
  readonly item: OrderItemRecord;
  readonly order: KnownOrder;
}

type Planning = Pick<BulkPush<CompiledItem>, 'api' | 'journal' | 'batchSize' | 'resend' | 'onLookup'>;

/**
 * Groups item rows into orders, and orders into requests of at most `batchSize`. An order that was never sent is
 * created whole. New items of an order sent before are added by the bulk creation of order items, and changed items are
 * updated. Rows of one order must be adjacent in the input and agree on its owner; others are rejected.
 */
export async function* planWholeOrders(
  batches: AsyncIterable<readonly DecidedRecord<CompiledItem>[]>,
  { api, journal, batchSize, resend, onLookup }: Planning,
): AsyncGenerator<JournaledRequest | Settled> {
  const before = await journal.knownBefore();
  const lookUp = async (originIds: readonly string[]): Promise<FindOrder> => {
    const orders = await before.known('order', originIds);
    const ofItems = await before.itemsOf(originIds.filter((originId) => !orders.has(originId)));
    return (originId) => {
      const known = orders.get(originId);
      // Its items were sent one by one, so the service would refuse the whole order or create it twice.
      if (ofItems.has(originId)) return { kind: 'skipped', owner: undefined, isUnderWay: false };
      const { kind } = decide(known, { contentHash: known?.contentHash ?? '' }, resend);
      return { kind, owner: known?.contentHash, isUnderWay: known !== undefined && isUnderWay(known) };
    };
  };
  const closedOrders = new SeenIds();
  let orders: BulkEntry[] = [];
  let itemsInOrders = 0;
  let items: BulkEntry[] = [];
  for await (const rows of rowsByOrder(batches, lookUp)) {
    const orderOriginId = orderOriginIdOf(rows);
    const isClosed = closedOrders.add(orderOriginId, 0, 0) !== undefined;
    if (rows.some(isOwnerless)) onLookup?.({ kind: 'ownerless', orderOriginId });
    const { order, added = [], updates = [], outcomes = [] } = planOrder(rows, api, isClosed);
    if (outcomes.length > 0) yield { outcomes };
    yield* updates;
    if (order !== undefined) {
      orders.push(order);
      itemsInOrders += rows.length;
    }
    items.push(...added);
    if (orders.length >= batchSize || itemsInOrders >= itemsPerRequestMaximum) {
      yield { operation: 'createOrders', entries: orders };
      orders = [];
      itemsInOrders = 0;
    }
    while (items.length >= batchSize) {
      yield { operation: 'bulkCreateOrderItems', entries: items.slice(0, batchSize) };
      items = items.slice(batchSize);
    }
  }
  if (orders.length > 0) yield { operation: 'createOrders', entries: orders };
  if (items.length > 0) yield { operation: 'bulkCreateOrderItems', entries: items };
}

/** True if a row names the owner of its order, but its items were sent without one. */
function isOwnerless({ order: { kind, owner }, item }: Row): boolean {
  const isOfItems = kind === 'skipped' && owner === undefined;
  return isOfItems && Object.values(ownerValues).some((read) => read(item) != null);
}

/** The knowledge about an order as a whole. */
interface KnownOrder {
  /** The decision on the order: send, sent before, or unknown. */
  readonly kind: PushDecision['kind'];
  /** Its owner, as `ownerHash`; undefined if it was not sent whole. */
  readonly owner: string | undefined;
  /** True if no run has seen the end of the job that creates it, which may have failed. */
  readonly isUnderWay: boolean;
}

type FindOrder = (originId: string) => KnownOrder;

/** Groups adjacent rows with the same order id. */
async function* rowsByOrder(
  batches: AsyncIterable<readonly DecidedRecord<CompiledItem>[]>,
  lookUp: (originIds: readonly string[]) => Promise<FindOrder>,
): AsyncGenerator<Row[]> {
  let open: Row[] = [];
  for await (const batch of batches) {
    const originIds = new Set(batch.map(({ record: { orderOriginId } }) => orderOriginId));
    const findOrder = await lookUp([...originIds]);
    for (const { record, decision } of batch) {
      const item: OrderItemRecord = JSON.parse(textOf(record));
      const row = { record, decision, item, order: findOrder(record.orderOriginId) };
      const isSameOrder = open[0]?.record.orderOriginId === record.orderOriginId;
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
  readonly order?: BulkEntry;
  readonly added?: readonly BulkEntry[];
  readonly updates?: readonly ItemUpdate[];
  readonly outcomes?: readonly PushOutcome[];
}

function planOrder(rows: readonly Row[], api: Api, isClosed: boolean): OrderPlan {
  if (isClosed) {
    return rejectAll(
      rows,
      `the rows of order ${orderOriginIdOf(rows)} must be adjacent, at most ` +
        `${itemsPerOrderMaximum}; sort the file by order`,
    );
  }
  const isSent = ({ decision, order }: Row) => order.kind !== 'send' || decision.kind !== 'send';
  if (rows.some(isSent)) return planAddedItems(rows, api);
  const contradiction = findContradiction(rows);
  if (contradiction !== undefined) return rejectAll(rows, contradiction);
  const fields = orderFieldsOf(rows.map(({ item }) => item));
  if (fields.orderedAt === undefined) return rejectAll(rows, 'orderedAt is needed to create an order');
  return { order: orderEntry(rows, fields, api) };
}

/** Plans an order whose items were sent before: new items are added if the order is known to exist. */
function planAddedItems(rows: readonly Row[], api: Api): OrderPlan {
  const { assumptions } = api;
  const obstacle = obstacleToItems(rows, api);
  const added: BulkEntry[] = [];
  const updates: ItemUpdate[] = [];
  const outcomes: PushOutcome[] = [];
  for (const row of rows) {
    const { decision, record, item } = row;
    const error = refusalOf(row, obstacle);
    if (error !== undefined) outcomes.push(outcomeOf(record, 'rejected', { error }));
    else if (decision.kind === 'update')
      updates.push(itemUpdate(record, decision, orderItemContent(item, assumptions)));
    else if (decision.kind !== 'send') outcomes.push(outcomeOf(record, decision.kind, decision));
    else added.push({ ...record, text: JSON.stringify(orderItemEntry(item, assumptions)) });
  }
  return { added, updates, outcomes };
}

/** The reason to reject a row that could otherwise be sent or skipped; undefined if there is none. */
function refusalOf(
  { decision, record, item, order }: Row,
  obstacle: HintText | undefined,
): HintText | undefined {
  const { kind } = decision;
  if (kind === 'send' && obstacle !== undefined) return obstacle;
  const isSettled = kind === 'rejected' || kind === 'unknown';
  return isSettled ? undefined : otherOwner(record.orderOriginId, order.owner, item);
}

/** The reason not to add new items to an order that was sent before; undefined if there is none. */
function obstacleToItems(rows: readonly Row[], api: Api): HintText | undefined {
  const isAccepted = rows.some(
    ({ decision: { kind }, order }) => order.kind === 'skipped' || acceptedDecisions.has(kind),
  );
  if (!isAccepted) return orderUnknown;
  // Adding items would create a failed order again, without its fields.
  if (api.supports('getJob') && rows.some(({ order }) => order.isUnderWay)) return orderUnderWay;
  return findContradiction(rows);
}

const orderUnderWay = hint`not sent: the job that creates its order may have failed; follow it with
  ${reviewctl`jobs wait`}, then push again`;

/** The decisions that imply that an item was accepted before. */
const acceptedDecisions: ReadonlySet<PushDecision['kind']> = new Set(['skipped', 'rejected', 'update']);

const orderUnknown = hint`not sent: the answer to the creation of its order was lost in an earlier run; look at the
  service, then record what you found with ${reviewctl`runs resolve RUN --sent`} or --not-sent, or send it
  again with --resend unknown`;

function rejectAll(rows: readonly Row[], error: string): OrderPlan {
  return { outcomes: rows.map(({ record }) => outcomeOf(record, 'rejected', { error })) };
}

function orderEntry(rows: readonly Row[], fields: ReturnType<typeof orderFieldsOf>, api: Api): BulkEntry {
  const originId = orderOriginIdOf(rows);
  const items = rows.map(({ item }) => ({
    originId: item.originId,
    ...orderItemContent(item, api.assumptions),
  }));
  return {
    originId,
    text: JSON.stringify({ originId, ...fields, items }),
    records: rows.map(({ record }) => record),
    owner: { originId, contentHash: ownerHash(originId, fields), kind: 'order' },
  };
}

/**
 * The contradiction between two rows about the owner of their order. A guess could give one member's reward to another.
 */
function findContradiction(rows: readonly Row[]): string | undefined {
  for (const [name, read] of Object.entries(ownerValues)) {
    const [first, ...rest] = rows.filter(({ item }) => read(item) !== undefined);
    const other = rest.find(({ item }) => first && read(item) !== read(first.item));
    if (first === undefined || other === undefined) continue;
    return (
      `the rows of order ${orderOriginIdOf(rows)} disagree on ${name}: lines ${first.record.line} ` +
      `and ${other.record.line}`
    );
  }
  return undefined;
}

function orderOriginIdOf(rows: readonly Row[]): string {
  return rows[0]?.record.orderOriginId ?? '';
}
