import { IdTable } from './id-table.ts';
import type { ProductRecord, ReviewRecord } from './records.ts';

/** How many reviews there are, and their ratings together. */
export interface Tally {
  readonly count: number;
  readonly ratingSum: number;
}

const none: Tally = { count: 0, ratingSum: 0 };

/** The mean rating to two places; 0 without a review. */
export function ratingAverage({ count, ratingSum }: Tally): number {
  return count === 0 ? 0 : Math.round((ratingSum / count) * 100) / 100;
}

/**
 * Review counts of products and of product groups, kept while records change, because a count over all reviews at
 * every reply would be too slow. Only reviews that consumers see are counted: visible and not blocked.
 */
export class ReviewTallies {
  readonly #products = new IdTable<Tally>();
  readonly #groups = new IdTable<Tally>();

  /** The reviews written on the product itself. */
  ofProduct(productId: string): Tally {
    return this.#products.get(productId) ?? none;
  }

  /** The reviews of all products of the group. */
  ofGroup(groupId: string): Tally {
    return this.#groups.get(groupId) ?? none;
  }

  reviewChanged(before: ReviewRecord | undefined, after: ReviewRecord | undefined, groupId: string | null) {
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

  productChanged(before: ProductRecord | undefined, after: ProductRecord | undefined) {
    if (!before || !after || before.groupId === after.groupId) return;
    const { count, ratingSum } = this.ofProduct(after.id);
    if (before.groupId !== null) {
      add(this.#groups, before.groupId, { count: -count, ratingSum: -ratingSum });
    }
    if (after.groupId !== null) add(this.#groups, after.groupId, { count, ratingSum });
  }
}

function add(tallies: IdTable<Tally>, id: string, change: Tally): void {
  const { count, ratingSum } = tallies.get(id) ?? none;
  tallies.set(id, { count: count + change.count, ratingSum: ratingSum + change.ratingSum });
}
