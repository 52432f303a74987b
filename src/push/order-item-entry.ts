import type { Api } from '../client/caller.ts';
import type { OrderItemRecord, OrderItemUpdateRecord } from '../input/record-kinds.ts';
import type { BulkUnit } from './bulk.ts';
import type { Decided } from './journaled.ts';
import type { OrderItemBody } from './update-accepted.ts';

/** The paths of the fields that the bulk creation documents (API 4.14). */
export const orderItemEntryFields: readonly string[] = ['orderOriginId', 'originId', 'productOriginId'];

/** The paths of those it takes only under the assumption `bulkExtraFields`. */
export const orderItemExtraFields: readonly string[] = [
  'status',
  'selectedOptions',
  'paidPrice',
  'shipment.companyCode',
  'shipment.trackingNumber',
  'shipment.deliveredAt',
];

/** What an item is besides its ids, as every operation takes it (API 4.11, 4.13). */
export type OrderItemDetails = Omit<OrderItemBody, 'productOriginId'>;

/** The details a record gives; a price goes out as a number. */
export function orderItemDetails({
  status,
  selectedOptions,
  paidPrice,
  shipment,
}: OrderItemUpdateRecord): OrderItemDetails {
  return {
    ...(status === undefined ? {} : { status }),
    ...(selectedOptions === undefined ? {} : { selectedOptions }),
    ...(paidPrice === undefined ? {} : { paidPrice: Number(paidPrice) }),
    ...(shipment === undefined ? {} : { shipment }),
  };
}

/** What goes out of an item in bulk that a later update can change (API 4.13), as far as this service takes it. */
export function orderItemContent(
  record: OrderItemRecord,
  { assumptions }: Pick<Api, 'assumptions'>,
): OrderItemBody {
  const { productOriginId } = record;
  return {
    productOriginId,
    ...(assumptions.bulkExtraFields === 'taken' ? orderItemDetails(record) : {}),
  };
}

/** One order item as an entry of the bulk creation (API 4.14). */
export function orderItemEntry(record: OrderItemRecord, api: Pick<Api, 'assumptions'>) {
  const { orderOriginId, originId } = record;
  return { orderOriginId, originId, ...orderItemContent(record, api) };
}

/** The same with the record it comes from. */
export function orderItemUnit(
  { entry, record }: Decided<OrderItemRecord>,
  api: Pick<Api, 'assumptions'>,
): BulkUnit {
  return { originId: record.originId, body: orderItemEntry(entry.record, api), records: [record] };
}
