import type * as z from 'zod';
import type { Operations } from '../../contract/operations.ts';
import { reviewDocument } from '../rules/documents.ts';
import { containsText, either, equals, field, inTimeRange, isOneOf } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { type Condition, listPage } from '../state/listings.ts';
import { done, doneUpdate, found, notFound } from '../state/outcome.ts';
import type { StoredReview } from '../state/records.ts';
import type { RequestContext } from '../state/request-context.ts';

/** API 4.15 to 4.17. */
export const reviewHandlers: OperationHandlers<'listReviews' | 'getReview' | 'updateReview'> = {
  listReviews: (context, { query }) =>
    listPage(
      context,
      {
        operation: 'listReviews',
        sort: query.sort,
        direction: query.direction,
        collection: context.state.reviews,
        where: reviewFilters(context, query),
        key: sortKeys[query.sort],
        show: reviewDocument,
      },
      query,
    ),

  getReview: (context, { parameters: { reviewId } }) =>
    found(context, context.state.reviews.get(reviewId), ['reviewId', reviewId], reviewDocument),

  updateReview: (context, { parameters: { reviewId }, body: { isVisible } }) => {
    const { state, now } = context;
    const review = state.reviews.get(reviewId);
    if (!review) return notFound('reviewId', reviewId);
    if (isVisible === undefined || isVisible === review.isVisible)
      return done(reviewDocument(context, review));
    const updated = { ...review, isVisible, updatedAt: now };
    const put = () => state.reviews.put(updated);
    return doneUpdate(context, { before: review, after: updated, put }, reviewDocument);
  },
};

const contentTypes: readonly string[] = ['TEXT', 'IMAGE', 'VIDEO'];

/** The highest content type of a review, which is also the category of its reward (API 6). */
export function contentTypeOf({ videos, images }: Pick<StoredReview, 'videos' | 'images'>) {
  if (videos.length > 0) return 'VIDEO';
  return images.length > 0 ? 'IMAGE' : 'TEXT';
}

type Query = z.output<Operations['listReviews']['query']>;

const rank = `CASE WHEN document ->> '$.videos[0]' IS NOT NULL THEN 2 ELSE document ->> '$.images[0]' IS NOT NULL END`;

/** Reviews that were never edited sort before all others; content types rank TEXT, IMAGE, VIDEO. */
const sortKeys: Readonly<Record<Query['sort'], string>> = {
  REVIEW_TYPE: rank,
  HELPFUL_COUNT: field('helpfulCount'),
  CREATED_AT: field('createdAt'),
  EDITED_AT: `coalesce(${field('editedAt')}, '')`,
  UPDATED_AT: field('updatedAt'),
};

function reviewFilters({ assumptions }: RequestContext, query: Query): (Condition | undefined)[] {
  // IN reads the paid rewards once. EXISTS would read all of them for each review.
  const paid = `SELECT ${field('reviewId')} FROM rewards WHERE ${field('status')} = 'SUCCESS'`;
  return [
    isOneOf(
      rank,
      query.contentTypes?.map((type) => contentTypes.indexOf(type)),
    ),
    isOneOf(field('rating'), query.ratings),
    containsText(field('text'), query.text),
    ofProduct(isOneOf(field('originId'), query.productOriginIds)),
    ofProduct(containsText(field('name'), query.productName)),
    ofOrder(isOneOf(orderField('originId'), query.orderOriginIds)),
    ofOrder(equals(orderField('memberOriginId'), query.orderMemberOriginId)),
    // Part of a name matches, but a phone only as a whole (API 4.15).
    ofOrder(
      either(
        containsText(orderField('$.buyer.name'), query.orderName),
        containsText(orderField('$.recipient.name'), query.orderName),
      ),
    ),
    ofOrder(
      either(
        equals(orderField('$.buyer.phone'), query.orderPhone),
        equals(orderField('$.recipient.phone'), query.orderPhone),
      ),
    ),
    equals(field('isVisible'), query.isVisible),
    equals(field('isBlocked'), query.isBlocked),
    equals(field('isFixed'), query.isFixed),
    equals(`(${field('id')} IN (${paid}))`, query.isRewarded),
    equals(field('isCommented'), query.isCommented),
    equals(`(${field('reportStatus')} IS NOT NULL)`, query.isReported),
    isOneOf(field('uploadFrom'), query.uploadFroms),
    inTimeRange(field('createdAt'), query.createdAtStart, query.createdAtEnd, assumptions),
    inTimeRange(field('editedAt'), query.editedAtStart, query.editedAtEnd, assumptions),
    inTimeRange(field('updatedAt'), query.updatedAtStart, query.updatedAtEnd, assumptions),
  ];
}

/** The condition that a review's product meets `condition`. */
function ofProduct(condition: Condition | undefined): Condition | undefined {
  return (
    condition && {
      sql: `${field('productId')} IN (SELECT ${field('id')} FROM products WHERE ${condition.sql})`,
      values: condition.values,
    }
  );
}

function orderField(name: string): string {
  return `orders.${field(name)}`;
}

/** The condition that a review's order meets `condition`. */
function ofOrder(condition: Condition | undefined): Condition | undefined {
  return (
    condition && {
      sql: `${field('orderItemId')} IN (SELECT item.${field('id')} FROM orders
        JOIN orderItems item ON item.${field('orderId')} = orders.${field('id')} WHERE ${condition.sql})`,
      values: condition.values,
    }
  );
}
