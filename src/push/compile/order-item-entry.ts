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

/** Whether a shipment is given in part, so that an update with no more than that could erase the rest. */
export function isPartialShipment({ shipment }: Pick<OrderItemUpdateRecord, 'shipment'>): boolean {
  if (shipment === undefined) return false;
  const { companyCode, trackingNumber } = shipment;
  // What the shop delivers itself has no tracking number.
  return companyCode === undefined || (trackingNumber === undefined && companyCode !== 'self');
}

/** Why a shipment that is given in part is not sent if nothing shows the rest of it. */
export const restUnknown =
  'an update replaces a shipment as a whole, and nothing shows what the service has of this one; give ' +
  'shipment.companyCode and shipment.trackingNumber as well';

/** What goes out of an item in bulk that a later update can change (API 4.13), as far as this service takes it. */
export function orderItemContent(
  record: OrderItemRecord,
  { bulkExtraFields }: Pick<Assumptions, 'bulkExtraFields'>,
): OrderItemBody {
  const { productOriginId } = record;
  return bulkExtraFields === 'taken' ? { productOriginId, ...orderItemDetails(record) } : { productOriginId };
}

/**
 * What the journal keeps of an update of an item, whichever command sent it. `hash` is that of the content it comes
 * from, if that is not all of `body`.
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

/** One order item as an entry of the bulk creation (API 4.14). */
export function orderItemEntry(record: OrderItemRecord, assumptions: Pick<Assumptions, 'bulkExtraFields'>) {
  const { orderOriginId, originId, productOriginId } = record;
  return assumptions.bulkExtraFields === 'taken'
    ? { orderOriginId, originId, ...orderItemContent(record, assumptions) }
    : { orderOriginId, originId, productOriginId };
}
