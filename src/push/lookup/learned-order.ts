import type { Assumptions } from '../../contract/assumptions.ts';
import type { Order } from '../../contract/resources.ts';
import type { OrderItemRecord } from '../../input/records/record-kinds.ts';
import type { Acceptance, PushJournal } from '../../store/journal/push-journal.ts';
import { orderItemEntry } from '../compile/order-item-entry.ts';
import { hashOfEntry } from '../compile/order-items.ts';
import { type OrderOwner, ownerHash } from '../fields/order-fields.ts';
import { itemIdsOf } from './find-one.ts';

/** A write of one order outside a push: its new owner (API 4.10), or an added item (API 4.11). */
export type OrderWrite =
  | { readonly operation: 'updateOrder'; readonly body: OrderOwner }
  | { readonly operation: 'addOrderItem'; readonly body: Omit<OrderItemRecord, 'orderOriginId'> };

/** Records a write of an order, so that later pushes know it; `order` is the reply. */
export async function recordOrderWrite(
  journal: Pick<PushJournal, 'known' | 'record'>,
  { operation, body }: OrderWrite,
  order: Order,
  assumptions: Pick<Assumptions, 'bulkExtraFields'>,
): Promise<void> {
  const { id: orderId, originId: orderOriginId } = order;
  if (!orderOriginId) return;
  const { contentHash = '' } = (await journal.known('order', [orderOriginId])).get(orderOriginId) ?? {};
  const accepted: Acceptance[] = [];
  if (operation === 'addOrderItem') {
    const { originId, productOriginId } = body;
    const hash = hashOfEntry(orderItemEntry({ ...body, orderOriginId }, assumptions));
    const entry = { originId, contentHash: hash, productOriginId, orderOriginId };
    const objectId = itemIdsOf(order).get(originId);
    accepted.push({ entry, objectId });
  }
  const owner =
    operation === 'updateOrder' && contentHash ? ownerHash(orderOriginId, body, contentHash) : contentHash;
  accepted.push({ entry: { originId: orderOriginId, contentHash: owner, kind: 'order' }, objectId: orderId });
  await journal.record('order-item', accepted);
}
