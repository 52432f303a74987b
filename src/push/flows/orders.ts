import { mapConcurrently, streamOf } from '../../base/lists.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItem } from '../../contract/resources.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';
import { refuseRenumbered } from '../compile/counted-orders.ts';
import {
  isPartialShipment,
  orderItemContent,
  orderItemEntryFields,
  orderItemExtraFields,
  restUnknown,
} from '../compile/order-item-entry.ts';
import type { CompiledItem } from '../compile/order-items.ts';
import { textOf } from '../compile/sendable-record.ts';
import { orderFields } from '../fields/order-fields.ts';
import { wholeShipment } from '../fields/tables.ts';
import { findOrder } from '../lookup/find-one.ts';
import { createUnknownItemSearch, type UnknownItemSearch } from '../lookup/find-unknown-items.ts';
import { carryOut, type PushFlow, type Settled } from '../plan/request.ts';
import {
  type BulkPush,
  type DecidedRecord,
  decideAll,
  type JournaledRequest,
  planRequests,
  sendRequest,
} from '../send/journaled.ts';
import { createSendContext } from '../send/send-journaled.ts';
import { planWholeOrders } from '../send/whole-orders.ts';

/**
 * Pushes order items: in bulk (API 4.14), or as whole orders if the service has an operation for that (assumption
 * `createOrders`). Every item is sent at most once over all runs with one journal. Items of unknown outcome are
 * searched for first. Orders whose items were renumbered since they were sent are rejected.
 */
export function ordersFlow(push: BulkPush<CompiledItem>): PushFlow<CompiledItem, JournaledRequest> {
  const { api, journal, resend, onLookup = () => undefined } = push;
  const findLost = async (originIds: readonly string[]) => {
    const lostItems = createUnknownItemSearch({ api, journal, onLookup });
    const known = await lostItems.find(await journal.known('order-item', originIds));
    await lostItems.record();
    return idsOfAccepted(known);
  };
  const context = { ...createSendContext(push, 'order-item'), findLost };
  // With `all`, items are sent again even if they exist.
  const search = resend === 'all' ? undefined : createUnknownItemSearch({ api, journal, onLookup });
  return {
    originIdOf: ({ originId }) => originId,
    ...(api.supports('createOrders') ? { groupOf: (item: CompiledItem) => item.orderOriginId } : {}),
    decide: (batches) => decideOrders(push, batches, search),
    send: (requests) =>
      carryOut(recordingFound(requests, search), context, (request, report, { answered }) =>
        sendRequest(context, request, report, answered),
      ),
  };
}

/** Records found items before any outcome is reported and before anything else is sent. */
async function* recordingFound<Q>(
  batches: AsyncIterable<Q>,
  search: UnknownItemSearch | undefined,
): AsyncGenerator<Q> {
  for await (const batch of batches) {
    await search?.record();
    yield batch;
  }
}

function idsOfAccepted(known: ReadonlyMap<string, KnownRecord>): ReadonlyMap<string, string> {
  const accepted = [...known].filter(([, { fate }]) => fate === 'accepted');
  return new Map(accepted.flatMap(([originId, { objectId }]) => (objectId ? [[originId, objectId]] : [])));
}

async function* decideOrders(
  push: BulkPush<CompiledItem>,
  batches: AsyncIterable<readonly CompiledItem[]>,
  search: UnknownItemSearch | undefined,
): AsyncGenerator<readonly (JournaledRequest | Settled)[]> {
  const { api, batchSize, journal, rereadCounted } = push;
  const { assumptions } = api;
  const refused = rereadCounted && (await refuseRenumbered(rereadCounted, journal));
  const refusalOf = ({ orderOriginId }: CompiledItem) => refused?.get(orderOriginId);
  const decided = completeShipments(decideAll(batches, push, 'order-item', { search, refusalOf }), push);
  if (api.supports('createOrders')) {
    for await (const request of planWholeOrders(decided, push)) yield [request];
  } else {
    yield* planRequests(decided, 'bulkCreateOrderItems', batchSize, (record) =>
      orderItemContent(JSON.parse(textOf(record)), assumptions),
    );
  }
}

type Row = DecidedRecord<CompiledItem>;
type Shown = Pick<OrderItem, 'shipment'>;

/**
 * Completes partial shipments of updates with the values in their orders (API 4.9), because an update replaces the
 * whole shipment. Rejects the row if the rest is unknown.
 * @throws as `findOrder`.
 */
async function* completeShipments(
  batches: AsyncIterable<readonly Row[]>,
  { api, journal, concurrency: width }: BulkPush<CompiledItem>,
): AsyncGenerator<readonly Row[]> {
  const isPartial = ({ record, decision }: Row) =>
    api.assumptions.bulkExtraFields === 'taken' &&
    decision.kind === 'update' &&
    isPartialShipment(JSON.parse(textOf(record)));
  for await (const batch of batches) {
    const partial = new Set(batch.filter(isPartial));
    const originIds = new Set([...partial].map(({ record }) => record.orderOriginId));
    const orders = [...(await journal.known('order', [...originIds])).values()];
    const orderIds = streamOf(orders.flatMap(({ objectId }) => objectId ?? []));
    const shown = new Map<string, Shown>();
    for await (const order of mapConcurrently(orderIds, { width }, (id) => findOrder(api, id)))
      for (const item of order?.items ?? []) shown.set(item.id ?? '', item);
    yield batch.map((row) => (partial.has(row) ? completed(row, shown) : row));
  }
}

function completed({ record, decision }: Row, shown: ReadonlyMap<string, Shown>): Row {
  const item = decision.kind === 'update' ? shown.get(decision.objectId) : undefined;
  if (item?.shipment === undefined) return { record, decision: { kind: 'rejected', error: restUnknown } };
  const row = JSON.parse(textOf(record));
  const text = JSON.stringify({ ...row, shipment: wholeShipment(row.shipment, item) });
  return { record: { ...record, text }, decision };
}

/** The fields that a push of orders omits, because its operations do not document them. */
interface UnsentFields {
  /** Sent if the service has an operation that creates whole orders (assumption `createOrders`). */
  readonly ofOrders: readonly string[];
  /** Sent if the service accepts more than the document shows (assumption `bulkExtraFields`). */
  readonly ofItems: readonly string[];
}

/** The input paths in `fields` that a push of orders does not send to this service. */
export function unsentFields(
  fields: readonly string[],
  { createOrders, bulkExtraFields }: Pick<Assumptions, 'createOrders' | 'bulkExtraFields'>,
): UnsentFields {
  const sent = [
    ...orderItemEntryFields,
    ...(createOrders !== undefined ? orderFields : []),
    ...(bulkExtraFields === 'taken' ? orderItemExtraFields : []),
  ];
  const unsent = fields.filter((field) => !sent.includes(field));
  return {
    ofOrders: unsent.filter((field) => orderFields.includes(field)),
    ofItems: unsent.filter((field) => !orderFields.includes(field)),
  };
}
