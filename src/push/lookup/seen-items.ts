import { Failure } from '../../base/failure.ts';
import { mapConcurrently, streamOf } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import { lookUp } from '../../client/look-up.ts';
import { type PageBounds, paginate } from '../../client/paginate.ts';
import { findOrder } from './find-one.ts';

/** An item and its order, with the ids that are shown. */
export interface SeenItem {
  readonly id: string | null | undefined;
  readonly originId: string | null | undefined;
  readonly productOriginId: string | null | undefined;
  readonly orderId: string | null | undefined;
  readonly orderOriginId: string | null | undefined;
}

interface Ids {
  readonly id?: string | null | undefined;
  readonly originId?: string | null | undefined;
}

function seenItem(
  order: Ids | null | undefined,
  item: Ids | null | undefined,
  productOriginId?: string | null,
): SeenItem {
  const { id, originId } = item ?? {};
  return { id, originId, productOriginId, orderId: order?.id, orderOriginId: order?.originId };
}

/** Reads the items of orders, `atOnce` orders at a time (API 4.9). @throws as `findOrder`. */
export async function* itemsInOrders(
  api: Api,
  orderIds: readonly string[],
  atOnce: number,
): AsyncGenerator<SeenItem> {
  const orders = mapConcurrently(streamOf(orderIds), { width: atOnce }, (id) => findOrder(api, id));
  for await (const order of orders)
    for (const item of order?.items ?? []) yield seenItem(order, item, item.product?.originId);
}

/** The items of rewards, the newest first (API 4.18). */
export async function* itemsInRewards(api: Api, bounds: PageBounds = {}): AsyncGenerator<SeenItem> {
  for await (const { records } of paginate(api, 'listRewards', {}, bounds))
    for (const { order, orderItem } of records) yield seenItem(order, orderItem);
}

/** Reads the items of the reviews of orders, of `limit` reviews at most. */
export type ReviewedItems = (orderOriginIds: readonly string[], limit: number) => AsyncGenerator<SeenItem>;

/**
 * Creates a reader of reviews by the originIds of their orders (API 4.15). If the service ever returns reviews of other
 * orders, no more are read: it would list all reviews, page by page.
 */
export function createReviewedItems(api: Api): ReviewedItems {
  let isFilterHonoured = true;
  return async function* itemsInReviews(orderOriginIds, limit) {
    if (!isFilterHonoured || orderOriginIds.length === 0) return;
    try {
      const query = { orderOriginIds: [...orderOriginIds] };
      for await (const { records } of lookUp(api, 'listReviews', query, { limit }))
        for (const { order, orderItem, product } of records)
          yield seenItem(order, orderItem, orderItem?.product?.originId ?? product?.originId);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'contradictory-reply') throw error;
      isFilterHonoured = false;
    }
  };
}
