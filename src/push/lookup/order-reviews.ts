import { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { lookUp } from '../../client/look-up.ts';
import type { PageBounds } from '../../client/paginate.ts';
import type { Review } from '../../contract/resources.ts';

/** Reviews that are read of each order, unless a caller sets its own limit. */
const reviewsPerOrderMaximum = 100;

/** Reads the reviews of orders, page by page. */
export type OrderReviews = (
  orderOriginIds: readonly string[],
  bounds?: PageBounds,
) => AsyncGenerator<readonly Review[]>;

/**
 * The reviews of orders by their originIds (API 4.15). From the first page on which the service shows those of other
 * orders, too, none is read any more: it would show all reviews, page by page.
 */
export function createOrderReviews(api: Api): OrderReviews {
  let isFilterHonoured = true;
  return async function* reviewsOf(
    orderOriginIds,
    bounds = { limit: orderOriginIds.length * reviewsPerOrderMaximum },
  ) {
    if (!isFilterHonoured) return;
    try {
      const query = { orderOriginIds: [...orderOriginIds] };
      for await (const { records } of lookUp(api, 'listReviews', query, bounds)) yield records;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'contradictory-reply') throw error;
      isFilterHonoured = false;
    }
  };
}
