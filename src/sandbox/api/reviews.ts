import type * as z from 'zod';
import type { Operations } from '../../contract/operations.ts';
import { reviewDocument } from '../rules/documents.ts';
import { allOf, containsText, type Filter, inTimeRange, isOneOf, when } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, doneUpdate, notFound } from '../state/outcome.ts';
import type { StoredOrder, StoredProduct, StoredReview } from '../state/records.ts';
import type { RequestContext } from '../state/request-context.ts';
import type { State, StateChange } from '../state/state.ts';

/** API 4.15 to 4.17. */
export const reviewHandlers: OperationHandlers<'listReviews' | 'getReview' | 'updateReview'> = {
  listReviews: (context, { query }) =>
    context.listings.page<StoredReview>(
      {
        operation: 'listReviews',
        sort: query.sort,
        direction: query.direction,
        collection: context.state.reviews,
        matches: reviewFilter(context, query),
        keyOf: sortKeys[query.sort],
        affectedBy: (change) => affectedReviews(context.state, query, change),
        present: (review) => reviewDocument(context, review),
      },
      query,
    ),

  getReview: (context, { parameters: { reviewId } }) => {
    const review = context.state.reviews.get(reviewId);
    return review ? done(reviewDocument(context, review)) : notFound('reviewId', reviewId);
  },

  updateReview: (context, { parameters: { reviewId }, body: { isVisible } }) => {
    const { state, now } = context;
    const review = state.reviews.get(reviewId);
    if (!review) return notFound('reviewId', reviewId);
    if (isVisible === undefined || isVisible === review.isVisible)
      return done(reviewDocument(context, review));
    const updated = { ...review, isVisible, updatedAt: now };
    const put = () => state.reviews.put(updated);
    return doneUpdate(context.assumptions, { before: review, after: updated, put }, (record) =>
      reviewDocument(context, record),
    );
  },
};

const contentTypes = ['TEXT', 'IMAGE', 'VIDEO'] as const;

/** The highest content type of a review, which is also the category of its reward (API 6). */
export function contentTypeOf({ videos, images }: Pick<StoredReview, 'videos' | 'images'>) {
  if (videos.length > 0) return 'VIDEO';
  return images.length > 0 ? 'IMAGE' : 'TEXT';
}

type Query = z.output<Operations['listReviews']['query']>;

/** Reviews that were never edited sort before all others; content types rank TEXT, IMAGE, VIDEO. */
const sortKeys: Readonly<Record<Query['sort'], (review: StoredReview) => string | number>> = {
  REVIEW_TYPE: (review) => contentTypes.indexOf(contentTypeOf(review)),
  HELPFUL_COUNT: (review) => review.helpfulCount,
  CREATED_AT: (review) => review.createdAt,
  EDITED_AT: (review) => review.editedAt ?? '',
  UPDATED_AT: (review) => review.updatedAt,
};

function reviewFilter({ state, assumptions }: RequestContext, query: Query): Filter<StoredReview> {
  const product = productOf(state);
  const order = orderOf(state);
  return allOf<StoredReview>([
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
    when(query.isRewarded, (flag) => (review) => isRewarded(state, review) === flag),
    when(query.isCommented, (flag) => (review) => review.isCommented === flag),
    when(query.isReported, (flag) => (review) => (review.reportStatus !== null) === flag),
    isOneOf(query.uploadFroms, (review) => review.uploadFrom),
    inTimeRange(query.createdAtStart, query.createdAtEnd, assumptions, (review) => review.createdAt),
    inTimeRange(query.editedAtStart, query.editedAtEnd, assumptions, (review) => review.editedAt),
    inTimeRange(query.updatedAtStart, query.updatedAtEnd, assumptions, (review) => review.updatedAt),
  ]);
}

/** The reviews whose filter results a change of another record may alter. */
function affectedReviews(
  state: State,
  query: Query,
  { collection, id }: StateChange,
): readonly string[] | 'all' {
  const ofItem = (itemId: string) => state.reviews.find('orderItemId', itemId).map((review) => review.id);
  switch (collection) {
    case 'orders':
      return state.orderItems.find('orderId', id).flatMap((item) => ofItem(item.id));
    case 'orderItems':
      return ofItem(id);
    case 'rewards':
      return [state.rewards.get(id)?.reviewId ?? ''];
    case 'products':
      return query.productOriginIds === undefined && query.productName === undefined ? [] : 'all';
    default:
      return [];
  }
}

function productOf(state: State): (review: StoredReview) => StoredProduct | undefined {
  return (review) => state.products.get(review.productId);
}

function orderOf(state: State): (review: StoredReview) => StoredOrder | undefined {
  return (review) => state.orders.get(state.orderItems.get(review.orderItemId)?.orderId ?? '');
}

/** Matches a part of the buyer's or the recipient's name; only the phone is an exact match (API 4.15). */
function hasName(order: StoredOrder | undefined, name: string): boolean {
  return containsText(order?.buyer?.name, name) || containsText(order?.recipient?.name, name);
}

function hasPhone(order: StoredOrder | undefined, phone: string): boolean {
  return order?.buyer?.phone === phone || order?.recipient?.phone === phone;
}

function isRewarded(state: State, review: StoredReview): boolean {
  return state.rewards.find('reviewId', review.id).some(({ status }) => status === 'SUCCESS');
}
