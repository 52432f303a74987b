import type { OrderItemRecord } from '../input/record-kinds.ts';
import type { BulkUnit } from './bulk.ts';
import type { Decided } from './journaled.ts';

/** The fields of an order item that the bulk creation documents (API 4.14). */
export function orderItemEntry({ orderOriginId, originId, productOriginId }: OrderItemRecord) {
  return { orderOriginId, originId, productOriginId };
}

/** The paths of the same fields. */
export const orderItemEntryFields: readonly string[] = ['orderOriginId', 'originId', 'productOriginId'];

/** One order item as an entry of the bulk creation. */
export function orderItemUnit({ entry, record }: Decided<OrderItemRecord>): BulkUnit {
  return { originId: record.originId, body: orderItemEntry(entry.record), records: [record] };
}
