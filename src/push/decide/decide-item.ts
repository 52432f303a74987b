import type { Json, JsonObject } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItem } from '../../contract/resources.ts';
import type { OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import { contentHash } from '../compile/content-hash.ts';
import type { RefusedOrders } from '../compile/counted-orders.ts';
import { isPartialShipment, orderItemDetails, restUnknown } from '../compile/order-item-entry.ts';
import { changesOf, updateOf } from '../fields/field.ts';
import { itemFields, wholeShipment } from '../fields/tables.ts';
import { contradictoryIds, type FoundItem } from '../lookup/find-items.ts';
import { hasContent, isFound, type ObservedItem } from '../lookup/observe-items.ts';
import type { Resend } from './decide.ts';
import { decided, rejected, type UpsertEntry } from './upsert-entry.ts';

export interface ItemRules {
  readonly resend: Resend | undefined;
  readonly assumptions: Assumptions;
  /** Present if originIds are made with `{n}`. */
  readonly refusedOrders: RefusedOrders | undefined;
}

/** Decides on one record. Compares it with the item at the service, or with the journal if the item is not shown. */
export function decideItem(observed: ObservedItem, rules: ItemRules): UpsertEntry {
  const { entry, item, shown, failed } = observed;
  const refusal = rules.refusedOrders?.get(entry.record.orderOriginId ?? '');
  if (refusal !== undefined) return rejected(entry, refusal);
  if (!isFound(item)) return rejected(entry, item?.contradiction ?? notFound);
  if (!hasContent(entry.record)) return decided(entry, 'unchanged', { id: item.id });
  if (failed !== undefined) return { outcome: failed };
  if (shown !== undefined && isOther(shown, entry.record))
    return rejected(
      entry,
      contradictoryIds(item.id, entry.record.originId, `is not that item's, which is ${shown.originId}`),
    );
  return decideUpdate(observed, item, rules);
}

const notFound =
  "the service's id of this item is unknown; add a column `id`, or `order.id` (the service's id of its order)";

function isOther(shown: OrderItem, { originId }: OrderItemUpdateRecord): boolean {
  return originId !== undefined && shown.originId != null && shown.originId !== originId;
}

const noProduct =
  'an update needs productOriginId, which is missing here; add the column, or orderOriginId for ' +
  'items that have a review';

/**
 * Sends the differences from the item that the service shows. If it shows none, sends the whole record, unless the
 * service accepted the same before.
 */
function decideUpdate(
  { entry, accepted, shown }: ObservedItem,
  { id, orderId, productOriginId: found }: FoundItem,
  rules: ItemRules,
): UpsertEntry {
  const { record } = entry;
  const known = (shown === undefined ? accepted?.productOriginId : shown.product?.originId) ?? found;
  const renumbered = otherProduct(rules, record, known);
  if (renumbered !== undefined) return rejected(entry, renumbered);
  const productOriginId = record.productOriginId ?? known;
  if (productOriginId === undefined) return rejected(entry, noProduct);
  const details = orderItemDetails(record);
  const content = { productOriginId, ...details };
  const hash = contentHash(content);
  if (shown === undefined) {
    const isWanted = rules.resend === 'accepted' || rules.resend === 'all';
    if (accepted !== undefined && accepted.contentHash === hash && !isWanted)
      return decided(entry, 'skipped', { id, comparedWith: 'journal' });
    if (isPartialShipment(record)) return rejected(entry, restUnknown);
    const replaces = accepted && { replaces: accepted.contentHash };
    const write = { kind: 'update', id, body: content as JsonObject, hash, ...replaces } as const;
    return { ...decided(entry, 'updated', { id }), write };
  }
  const { shipment = {} } = details;
  const whole = details.shipment === undefined ? {} : { shipment: wholeShipment(shipment, shown) };
  const wanted = { ...details, ...whole, productOriginId: record.productOriginId };
  const changes = changesOf(itemFields, wanted as Readonly<Record<string, Json | undefined>>, shown);
  if (Object.keys(changes).length === 0) return decided(entry, 'unchanged', { id });
  const body = { productOriginId, ...updateOf(itemFields, changes, shown, rules.assumptions) };
  const step = decided(entry, 'updated', { id, changes });
  return { ...step, write: { kind: 'update', id, body, hash }, before: shown, orderId };
}

/** The reason why a row with a counted id does not match the item of this product; undefined if it does. */
function otherProduct(
  { refusedOrders }: ItemRules,
  { originId, productOriginId }: OrderItemUpdateRecord,
  known: string | undefined,
): string | undefined {
  if (refusedOrders === undefined || (known !== undefined && productOriginId === known)) return undefined;
  const item = known === undefined ? 'an item whose product is not known' : `an item of product ${known}`;
  const row =
    productOriginId === undefined
      ? 'the row names no product; map its column to productOriginId'
      : `the row is of product ${productOriginId}`;
  return `${originId} is ${item}, and ${row}; an id made with {n} is never given to another product`;
}
