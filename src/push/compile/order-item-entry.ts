import type { CallInput } from '../../client/caller.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { Operations } from '../../contract/operations.ts';
import type { OrderItemRecord, OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { JournalEntry } from '../../store/journal/push-journal.ts';
import { contentHash } from './content-hash.ts';

/** The body of an update of an item (API 4.13). */
export type OrderItemBody = CallInput<Operations['updateOrderItem']>['body'];

/** The paths of the fields that the bulk creation documents (API 4.14). */
export const orderItemEntryFields: readonly string[] = ['orderOriginId', 'originId', 'productOriginId'];

/** The paths of the fields that it accepts only under the assumption `bulkExtraFields`. */
export const orderItemExtraFields: readonly string[] = [
  'status',
  'selectedOptions',
  'paidPrice',
  'shipment.companyCode',
  'shipment.trackingNumber',
  'shipment.deliveredAt',
];

/** The fields of an item besides its ids, as every operation accepts them (API 4.11, 4.13). */
export type OrderItemDetails = Omit<OrderItemBody, 'productOriginId'>;

/** The details in a record. The price is sent as a number. */
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

/** True for a partial shipment, which could erase the rest in an update. */
export function isPartialShipment({ shipment }: Pick<OrderItemUpdateRecord, 'shipment'>): boolean {
  if (shipment === undefined) return false;
  const { companyCode, trackingNumber } = shipment;
  // A shipment that the shop delivers itself has no tracking number.
  return companyCode === undefined || (trackingNumber === undefined && companyCode !== 'self');
}

/** The error for a partial shipment if the rest is unknown. */
export const restUnknown =
  'an update replaces the whole shipment, and the rest of this one is unknown; also give ' +
  'shipment.companyCode and shipment.trackingNumber';

/** The part of a bulk item that a later update can change (API 4.13), if this service accepts it. */
export function orderItemContent(
  record: OrderItemRecord,
  { bulkExtraFields }: Pick<Assumptions, 'bulkExtraFields'>,
): OrderItemBody {
  const { productOriginId } = record;
  return bulkExtraFields === 'taken' ? { productOriginId, ...orderItemDetails(record) } : { productOriginId };
}

/**
 * The journal entry of an item update, for every command. `hash` is the hash of the original content, if `body` is only
 * a part of it.
 */
export function itemUpdateEntry(id: string, body: object, hash = contentHash(body)): JournalEntry {
  const { productOriginId } = body as Partial<OrderItemBody>;
  return {
    originId: id,
    contentHash: hash,
    kind: 'order-item-update',
    ...(productOriginId && { productOriginId }),
  };
}

/** An order item as an entry of the bulk creation (API 4.14). */
export function orderItemEntry(record: OrderItemRecord, assumptions: Pick<Assumptions, 'bulkExtraFields'>) {
  const { orderOriginId, originId, productOriginId } = record;
  return assumptions.bulkExtraFields === 'taken'
    ? { orderOriginId, originId, ...orderItemContent(record, assumptions) }
    : { orderOriginId, originId, productOriginId };
}
