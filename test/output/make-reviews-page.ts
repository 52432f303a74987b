import type { JsonObject } from '../../src/base/json.ts';
import { pageText } from '../../src/output/reports/page.ts';
import { ReviewTally } from '../../src/output/reports/review-tally.ts';
import { reviewsPage } from '../../src/output/reports/reviews-page.ts';

/** A review in the form of the service. */
export function reviewOf(rating: number, product: string, text: string, more: JsonObject = {}): JsonObject {
  return {
    rating,
    text,
    product: { originId: product, name: product },
    createdAt: '2026-11-03T10:00:00Z',
    ...more,
  };
}

export async function pageOf(reviews: Iterable<JsonObject>, top = 100): Promise<string> {
  const tally = new ReviewTally({ timeZone: '+09:00', top });
  for (const review of reviews) tally.add(review);
  return pageText(reviewsPage({ tally, filters: '', footer: 'Made by a test.' }));
}
