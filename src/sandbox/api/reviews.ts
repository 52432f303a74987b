import type * as z from 'zod';
import type { Operations } from '../../contract/operations.ts';
import { reviewDocument } from '../rules/documents.ts';
import { allOf, containsText, type Filter, inTimeRange, isOneOf, when } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, doneUpdate, notFound } from '../state/outcome.ts';
import type { OrderRecord, ProductRecord, ReviewRecord } from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';
import type { Change, World } from '../state/state.ts';

/** API 4.15 to 4.17. */
export const reviewHandlers: OperationHandlers<'listReviews' | 'getReview' | 'updateReview'> = {
  listReviews: (visit, { query }) =>
    visit.listings.page<ReviewRecord>(
      {
        operation: 'listReviews',
        sort: query.sort,
        direction: query.direction,
        collection: visit.world.reviews,
        matches: reviewFilter(visit, query),
        keyOf: sortKeys[query.sort],
        affectedBy: (change) => affectedReviews(visit.world, query, change),
        present: (review) => reviewDocument(visit, review),
      },
      query,
    ),

  getReview: (visit, { parameters: { reviewId } }) => {
    const review = visit.world.reviews.get(reviewId);
    return review ? done(reviewDocument(visit, review)) : notFound('reviewId', reviewId);
  },

  updateReview: (visit, { parameters: { reviewId }, body: { isVisible } }) => {
    const { world, now } = visit;
    const review = world.reviews.get(reviewId);
    if (!review) return notFound('reviewId', reviewId);
    if (isVisible === undefined || isVisible === review.isVisible) return done(reviewDocument(visit, review));
    const updated = { ...review, isVisible, updatedAt: now };
    const put = () => world.reviews.put(updated);
    return doneUpdate(visit.assumptions, { before: review, after: updated, put }, (record) =>
      reviewDocument(visit, record),
    );
  },
};

const contentTypes = ['TEXT', 'IMAGE', 'VIDEO'] as const;

/** What a review shows at best: VIDEO, IMAGE or TEXT; also the category of its reward (API 6). */
export function contentTypeOf({ videos, images }: Pick<ReviewRecord, 'videos' | 'images'>) {
  if (videos.length > 0) return 'VIDEO';
  return images.length > 0 ? 'IMAGE' : 'TEXT';
}

type Query = z.output<Operations['listReviews']['query']>;

/** A review that was never edited comes before all that were; types rank from TEXT over IMAGE to VIDEO. */
const sortKeys: Readonly<Record<Query['sort'], (review: ReviewRecord) => string | number>> = {
  REVIEW_TYPE: (review) => contentTypes.indexOf(contentTypeOf(review)),
  HELPFUL_COUNT: (review) => review.helpfulCount,
  CREATED_AT: (review) => review.createdAt,
  EDITED_AT: (review) => review.editedAt ?? '',
  UPDATED_AT: (review) => review.updatedAt,
};

function reviewFilter({ world, assumptions }: Visit, query: Query): Filter<ReviewRecord> {
  const product = productOf(world);
  const order = orderOf(world);
  return allOf<ReviewRecord>([
    isOneOf(query.contentTypes, contentTypeOf),
    isOneOf(query.ratings, (review) => review.rating),
    when(query.text, (text) => (review) => containsText(review.text, text)),
    isOneOf(query.productOriginIds, (review) => product(review)?.originId),
    when(query.productName, (name) => (review) => containsText(product(review)?.name, name)),
    isOneOf(query.orderOriginIds, (review) => order(review)?.originId),
    when(query.orderMemberOriginId, (member) => (review) => order(review)?.memberOriginId === member),
    when(query.orderName, (name) => (review) => hasName(order(review), name)),
    when(query.orderPhone, (phone) => (review) => hasPhone(order(review), phone)),
    when(query.isVisible, (flag) => (review) => review.isVisible === flag),
    when(query.isBlocked, (flag) => (review) => review.isBlocked === flag),
    when(query.isFixed, (flag) => (review) => review.isFixed === flag),
    when(query.isRewarded, (flag) => (review) => isRewarded(world, review) === flag),
    when(query.isCommented, (flag) => (review) => review.isCommented === flag),
    when(query.isReported, (flag) => (review) => (review.reportStatus !== null) === flag),
    isOneOf(query.uploadFroms, (review) => review.uploadFrom),
    inTimeRange(query.createdAtStart, query.createdAtEnd, assumptions, (review) => review.createdAt),
    inTimeRange(query.editedAtStart, query.editedAtEnd, assumptions, (review) => review.editedAt),
    inTimeRange(query.updatedAtStart, query.updatedAtEnd, assumptions, (review) => review.updatedAt),
  ]);
}

/** The reviews that filters may judge otherwise after a change of what they are about. */
function affectedReviews(world: World, query: Query, { collection, id }: Change): readonly string[] | 'all' {
  const ofItem = (itemId: string) => world.reviews.find('orderItemId', itemId).map((review) => review.id);
  switch (collection) {
    case 'orders':
      return world.orderItems.find('orderId', id).flatMap((item) => ofItem(item.id));
    case 'orderItems':
      return ofItem(id);
    case 'rewards':
      return [world.rewards.get(id)?.reviewId ?? ''];
    case 'products':
      return query.productOriginIds === undefined && query.productName === undefined ? [] : 'all';
    default:
      return [];
  }
}

function productOf(world: World): (review: ReviewRecord) => ProductRecord | undefined {
  return (review) => world.products.get(review.productId);
}

function orderOf(world: World): (review: ReviewRecord) => OrderRecord | undefined {
  return (review) => world.orders.get(world.orderItems.get(review.orderItemId)?.orderId ?? '');
}

/** Part of the buyer's or the recipient's name: only the phone is called an exact match (API 4.15). */
function hasName(order: OrderRecord | undefined, name: string): boolean {
  return containsText(order?.buyer?.name, name) || containsText(order?.recipient?.name, name);
}

function hasPhone(order: OrderRecord | undefined, phone: string): boolean {
  return order?.buyer?.phone === phone || order?.recipient?.phone === phone;
}

function isRewarded(world: World, review: ReviewRecord): boolean {
  return world.rewards.find('reviewId', review.id).some(({ status }) => status === 'SUCCESS');
}
