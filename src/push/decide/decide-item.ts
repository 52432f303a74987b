import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItem } from '../../contract/resources.ts';
import type { Entry, OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import { contentHash, isSameContent } from '../compile/content-hash.ts';
import type { RefusedOrders } from '../compile/counted-orders.ts';
import { type OrderItemBody, orderItemDetails } from '../compile/order-item-entry.ts';
import { contradictoryIds, type FoundItem } from '../lookup/find-items.ts';
import { hasContent, isFound, type ObservedItem, placeOf } from '../lookup/observe-items.ts';
import { type OutcomeWord, outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import type { PlanEntry } from '../steps/push-flow.ts';
import type { Resend } from './decide.ts';
import { orderItemChanges } from './order-item-changes.ts';

/** An update of an item. */
export interface ItemWrite {
  readonly id: string;
  readonly body: OrderItemBody;
  /** The hash of the content that it comes from, for the journal. */
  readonly hash: string;
}

/** A record of an item with what is to be done with it. */
export interface ItemEntry extends PlanEntry {
  readonly write?: ItemWrite;
  /** The item as the service showed it. */
  readonly before?: OrderItem;
  /** The service's id of its order, where that is known. */
  readonly orderId?: string | undefined;
}

export interface ItemRules {
  readonly resend: Resend | undefined;
  readonly assumptions: Assumptions;
  /** Given where originIds are made with `{n}`. */
  readonly refusedOrders: RefusedOrders | undefined;
}

/** Decides on one record: an item that the service shows is compared with it, any other with what the journal knows. */
export function decideItem(observed: ObservedItem, rules: ItemRules): ItemEntry {
  const { entry, item, shown, failed } = observed;
  const refusal = rules.refusedOrders?.get(entry.record.orderOriginId ?? '');
  if (refusal !== undefined) return rejected(entry, refusal);
  if (!isFound(item)) return rejected(entry, item?.contradiction ?? notFound);
  if (!hasContent(entry.record)) return decided(entry, 'unchanged', { id: item.id });
  if (failed !== undefined) return { outcome: failed };
  return shown === undefined ? decideUnseen(observed, item, rules) : decideSeen(entry, item, shown, rules);
}

const notFound =
  "nothing leads from this originId to the service's item: no job of an earlier --wait, no " +
  'review, no reward; add a column with its id';

/** Why a row of a counted id cannot be taken for the item of this product; undefined where it can. */
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

const noProduct =
  'an update needs productOriginId, which is missing here; add the column, or orderOriginId for ' +
  'items that have a review';

/** Sends what differs from what the service has. */
function decideSeen(
  entry: Entry<OrderItemUpdateRecord>,
  { id, orderId, productOriginId: known }: FoundItem,
  shown: OrderItem,
  rules: ItemRules,
): ItemEntry {
  const { record } = entry;
  if (record.originId !== undefined && shown.originId != null && shown.originId !== record.originId)
    return rejected(
      entry,
      contradictoryIds(id, record.originId, `is not that item's, which is ${shown.originId}`),
    );
  const renumbered = otherProduct(rules, record, shown.product?.originId ?? known);
  if (renumbered !== undefined) return rejected(entry, renumbered);
  const productOriginId = record.productOriginId ?? shown.product?.originId ?? known;
  if (productOriginId === undefined) return rejected(entry, noProduct);
  const { details, changes } = orderItemChanges(record, shown, rules.assumptions);
  if (Object.keys(changes).length === 0) return decided(entry, 'unchanged', { id });
  const hash = contentHash({ productOriginId, ...orderItemDetails(record) });
  const write = { id, body: { productOriginId, ...details }, hash };
  return { ...decided(entry, 'updated', { id, changes }), write, before: shown, orderId };
}

/** Sends all the record has, unless the service took the same before. */
function decideUnseen(
  { entry, accepted }: ObservedItem,
  { id, productOriginId: known }: FoundItem,
  rules: ItemRules,
): ItemEntry {
  const { record } = entry;
  const renumbered = otherProduct(rules, record, accepted?.productOriginId ?? known);
  if (renumbered !== undefined) return rejected(entry, renumbered);
  const productOriginId = record.productOriginId ?? accepted?.productOriginId ?? known;
  if (productOriginId === undefined) return rejected(entry, noProduct);
  const body = { productOriginId, ...orderItemDetails(record) };
  const hash = contentHash(body);
  const isWanted = rules.resend === 'accepted' || rules.resend === 'all';
  if (accepted !== undefined && isSameContent(accepted.contentHash, hash) && !isWanted)
    return decided(entry, 'skipped', { id, comparedWith: 'journal' });
  return { ...decided(entry, 'updated', { id }), write: { id, body, hash } };
}

function decided(
  entry: Entry<OrderItemUpdateRecord>,
  word: OutcomeWord,
  details: Pick<PushOutcome, 'id' | 'changes' | 'comparedWith' | 'error'>,
): ItemEntry {
  return { outcome: outcomeOf(placeOf(entry), word, details) };
}

function rejected(entry: Entry<OrderItemUpdateRecord>, error: string): ItemEntry {
  return decided(entry, 'rejected', { error });
}
