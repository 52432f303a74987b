import { IdTable } from './id-table.ts';
import type { StoredProduct, StoredReview } from './records.ts';

/** The number of reviews and the sum of their ratings. */
export interface RatingTally {
  readonly count: number;
  readonly ratingSum: number;
}

const none: RatingTally = { count: 0, ratingSum: 0 };

/** The mean rating to two decimal places; 0 without reviews. */
export function ratingAverage({ count, ratingSum }: RatingTally): number {
  return count === 0 ? 0 : Math.round((ratingSum / count) * 100) / 100;
}

/**
 * Review counts of products and product groups, updated with every change because counting all reviews for each reply
 * would be too slow. Only reviews that consumers can see are counted: visible and not blocked.
 */
export class RatingTallies {
  readonly #products = new IdTable<RatingTally>();
  readonly #groups = new IdTable<RatingTally>();

  /** The reviews written on the product itself. */
  ofProduct(productId: string): RatingTally {
    return this.#products.get(productId) ?? none;
  }

  /** The reviews of all products of the group. */
  ofGroup(groupId: string): RatingTally {
    return this.#groups.get(groupId) ?? none;
  }

  reviewChanged(before: StoredReview | undefined, after: StoredReview | undefined, groupId: string | null) {
    for (const [review, sign] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (!review?.isVisible || review.isBlocked) continue;
      const change = { count: sign, ratingSum: sign * review.rating };
      add(this.#products, review.productId, change);
      if (groupId !== null) add(this.#groups, groupId, change);
    }
  }

  productChanged(before: StoredProduct | undefined, after: StoredProduct | undefined) {
    if (!before || !after || before.groupId === after.groupId) return;
    const { count, ratingSum } = this.ofProduct(after.id);
    if (before.groupId !== null) {
      add(this.#groups, before.groupId, { count: -count, ratingSum: -ratingSum });
    }
    if (after.groupId !== null) add(this.#groups, after.groupId, { count, ratingSum });
  }
}

function add(tallies: IdTable<RatingTally>, id: string, change: RatingTally): void {
  const { count, ratingSum } = tallies.get(id) ?? none;
  tallies.set(id, { count: count + change.count, ratingSum: ratingSum + change.ratingSum });
}
