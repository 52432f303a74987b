import { mapConcurrently, streamOf } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import { paginate } from '../../client/paginate.ts';
import type { OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { findOrder } from './find-one.ts';
import { createOrderReviews, type OrderReviews } from './order-reviews.ts';

/** An item at the service, as far as it could be found. */
export interface FoundItem {
  readonly id: string;
  /** With it the item can be looked up (API 4.12). */
  readonly orderId?: string | undefined;
  readonly productOriginId?: string | undefined;
}

/** Why no item can be taken for the one a record means: its ids lead to different ones. */
export interface Contradiction {
  readonly contradiction: string;
}

/** Finds items by what a record says of them; undefined where nothing leads to the item. */
export interface ItemFinder {
  /** @throws ServiceFailure when a list cannot be read. */
  find(
    records: readonly OrderItemUpdateRecord[],
  ): Promise<(record: OrderItemUpdateRecord) => FoundItem | Contradiction | undefined>;
}

/** Orders that are read at once. */
const ordersAtOnce = 8;

/** Items that are kept from the list of rewards, some 20 MB; those beyond are not found by it. */
const rewardedItemsMaximum = 200_000;

interface SeenItem {
  readonly id: string;
  readonly orderId: string | undefined;
  readonly orderOriginId: string | null | undefined;
  readonly productOriginId: string | null | undefined;
}

/** Looked up by ids that a record may lack, under which nothing is known. */
type Known = ReadonlyMap<string | undefined, KnownRecord>;

/**
 * No operation finds an item by its originId, so its id is learned from what names both: the jobs of earlier runs,
 * which the journal keeps; its order, if the id of that is known (API 4.9); the reviews of its order, where the record
 * names that (API 4.15); else all rewards, which are read once and only when a record needs them (API 4.18).
 */
export function createItemFinder(api: Api, journal: Pick<PushJournal, 'known'>): ItemFinder {
  const reviewsOf = createOrderReviews(api);
  let rewarded: Promise<ReadonlyMap<string, SeenItem>> | undefined;
  return {
    find: async (records) => {
      const made: Known = await journal.known('order-item', [
        ...new Set(records.flatMap(({ originId }) => originId ?? [])),
      ]);
      const orderOf = (record: OrderItemUpdateRecord) =>
        record.orderOriginId ?? madeItem(record, made)?.orderOriginId;
      const orders: Known = await journal.known('order', [
        ...new Set(records.flatMap((record) => orderOf(record) ?? [])),
      ]);
      const known = (record: OrderItemUpdateRecord) => {
        const item = madeItem(record, made);
        return {
          id: record.id ?? item?.objectId,
          orderId: record.order?.id ?? orders.get(orderOf(record))?.objectId,
          productOriginId: item?.productOriginId,
        };
      };
      const unseen = records.filter(
        (record) => record.originId !== undefined && known(record).id === undefined,
      );
      const ordered = await itemsInOrders(
        api,
        new Set(unseen.flatMap((record) => known(record).orderId ?? [])),
      );
      const updated: Known = await journal.known('order-item-update', [
        ...new Set(records.flatMap((record) => known(record).id ?? [])),
      ]);
      const isLacking = (record: OrderItemUpdateRecord) => {
        const { id, orderId, productOriginId = record.productOriginId } = known(record);
        const isDoubtful = record.originId !== undefined && madeItem(record, made)?.objectId === undefined;
        // What was sent before is held against what the service shows, which only its order leads to.
        const isSent = updated.has(id);
        return (
          (id === undefined && matching(record, ordered) === undefined) ||
          (orderId === undefined && (isDoubtful || isSent || productOriginId === undefined))
        );
      };
      const lacking = records.filter(isLacking).flatMap((record) => orderOf(record) ?? []);
      const reviewed = new Map([...(await itemsInReviews(reviewsOf, [...new Set(lacking)])), ...ordered]);
      const find = (record: OrderItemUpdateRecord, seen?: ReadonlyMap<string, SeenItem>) => {
        const { id, orderId, productOriginId } = known(record);
        const contradiction = contradictionOf(record, [
          madeItem(record, made)?.objectId,
          ...[reviewed, seen].map((items) => items && matchingOriginId(record, items)?.id),
        ]);
        if (contradiction !== undefined) return { contradiction };
        const found = matching(record, reviewed) ?? (seen && matching(record, seen));
        const itemId = id ?? found?.id;
        if (itemId === undefined) return undefined;
        return {
          id: itemId,
          orderId: orderId ?? found?.orderId,
          productOriginId: found?.productOriginId ?? productOriginId,
        };
      };
      if (records.every((record) => find(record) !== undefined)) return (record) => find(record);
      rewarded ??= itemsInRewards(api);
      const seen = await rewarded;
      return (record) => find(record, seen);
    },
  };
}

/** What the journal knows of the item a record means by its originId. */
function madeItem({ originId, orderOriginId }: OrderItemUpdateRecord, made: Known): KnownRecord | undefined {
  const item = made.get(originId);
  return isOfOrder(orderOriginId, item) ? item : undefined;
}

/** The item a record means. */
function matching(record: OrderItemUpdateRecord, seen: ReadonlyMap<string, SeenItem>): SeenItem | undefined {
  if (record.id === undefined) return matchingOriginId(record, seen);
  const found = seen.get(byId(record.id));
  return isOfOrder(record.orderOriginId, found) ? found : undefined;
}

function matchingOriginId(
  { originId, orderOriginId }: OrderItemUpdateRecord,
  seen: ReadonlyMap<string, SeenItem>,
): SeenItem | undefined {
  const found = seen.get(byOriginId(originId));
  return isOfOrder(orderOriginId, found) ? found : undefined;
}

/** One of another order with the same originId is another item; a record that names no order means any. */
function isOfOrder(
  orderOriginId: string | undefined,
  item: { readonly orderOriginId?: string | null | undefined } | undefined,
): boolean {
  return orderOriginId === undefined || item?.orderOriginId === orderOriginId;
}

/** The error of a record whose two ids are of different items. */
export function contradictoryIds(id: string, originId: string | undefined, found: string): string {
  return `its id is ${id}, but its originId ${originId} ${found}; correct one of them or leave it out`;
}

/** What is wrong with a record whose id is none of those its originId leads to. */
function contradictionOf(
  { id, originId }: OrderItemUpdateRecord,
  ids: readonly (string | undefined)[],
): string | undefined {
  const other = ids.find((found) => found !== undefined && found !== id);
  if (id === undefined || other === undefined) return undefined;
  return contradictoryIds(id, originId, `is the item with id ${other}`);
}

async function itemsInOrders(
  api: Api,
  orderIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SeenItem>> {
  const seen = new Map<string, SeenItem>();
  const orders = mapConcurrently(streamOf([...orderIds]), { width: ordersAtOnce }, (id) =>
    findOrder(api, id),
  );
  for await (const order of orders) {
    for (const item of order?.items ?? []) keepSeen(seen, order, item, item.product?.originId);
  }
  return seen;
}

async function itemsInReviews(
  reviewsOf: OrderReviews,
  orderOriginIds: readonly string[],
): Promise<ReadonlyMap<string, SeenItem>> {
  const seen = new Map<string, SeenItem>();
  if (orderOriginIds.length === 0) return seen;
  for await (const reviews of reviewsOf(orderOriginIds)) {
    for (const { order, orderItem, product } of reviews) {
      keepSeen(seen, order, orderItem, orderItem?.product?.originId ?? product?.originId);
    }
  }
  return seen;
}

async function itemsInRewards(api: Api): Promise<ReadonlyMap<string, SeenItem>> {
  const seen = new Map<string, SeenItem>();
  for await (const { records: rewards } of paginate(api, 'listRewards', {})) {
    for (const { order, orderItem } of rewards) keepSeen(seen, order, orderItem);
    if (seen.size >= 2 * rewardedItemsMaximum) break;
  }
  return seen;
}

interface Named {
  readonly id?: string | null | undefined;
  readonly originId?: string | null | undefined;
}

function keepSeen(
  seen: Map<string, SeenItem>,
  order: Named | null | undefined,
  item: Named | null | undefined,
  productOriginId?: string | null,
): void {
  if (!item?.id || !item.originId) return;
  const found: SeenItem = {
    id: item.id,
    orderId: order?.id ?? undefined,
    orderOriginId: order?.originId,
    productOriginId,
  };
  seen.set(byId(found.id), found);
  seen.set(byOriginId(item.originId), found);
}

function byId(id: string): string {
  return `id ${id}`;
}

function byOriginId(originId: string | undefined): string {
  return `originId ${originId ?? ''}`;
}
