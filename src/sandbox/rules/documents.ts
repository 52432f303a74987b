import type { JsonObject } from '../../base/json.ts';
import type {
  StoredBulk,
  StoredCategory,
  StoredOrder,
  StoredOrderItem,
  StoredProduct,
  StoredProductGroup,
  StoredReview,
  StoredReward,
} from '../state/records.ts';
import type { RequestContext } from '../state/request-context.ts';
import type { RatingTally } from '../state/state.ts';

/* The resources of API 2 in replies: every field, in the document's order, null if it has no value. */

export function productDocument(context: RequestContext, product: StoredProduct): JsonObject {
  const { state, assumptions } = context;
  const shared = state.sharedReviews(product);
  const direct = state.directReviews(product);
  return {
    id: product.id,
    originId: product.originId,
    name: product.name,
    image: image(productImageUrl(context, product)),
    url: product.url,
    categories: product.categories.map(({ categoryId, isPrimary }) => {
      const category = state.categories.get(categoryId);
      return { isPrimary, category: category ? categoryDocument(category) : null };
    }),
    group: product.groupId === null ? null : { id: product.groupId },
    brand: product.brand,
    isAlimtalkEnabled:
      assumptions.isAlimtalkEnabledReply === 'string'
        ? String(product.isAlimtalkEnabled)
        : product.isAlimtalkEnabled,
    reviewCount: shared.count,
    reviewRatingAverage: ratingAverage(shared),
    directReviewCount: direct.count,
    directReviewRatingAverage: ratingAverage(direct),
    isReviewDisabled: product.isReviewDisabled,
  };
}

export function categoryDocument(category: StoredCategory): JsonObject {
  const { id, originId, name, isVisible, isReviewDisabled } = category;
  return { id, originId, name, isVisible, isReviewDisabled };
}

export function productGroupDocument({ state }: RequestContext, group: StoredProductGroup): JsonObject {
  const reviews = state.groupReviews(group.id);
  return {
    id: group.id,
    name: group.name,
    image: image(group.imageUrl),
    productCount: state.products.count('groupId', group.id),
    reviewCount: reviews.count,
    reviewRatingAverage: ratingAverage(reviews),
    createdAt: group.createdAt,
    updatedAt: group.updatedAt,
  };
}

export function orderDocument(context: RequestContext, order: StoredOrder): JsonObject {
  const items = context.state.orderItems.find('orderId', order.id);
  return { ...order, items: items.map((item) => orderItemDocument(context, item)) };
}

export function orderItemDocument(context: RequestContext, item: StoredOrderItem): JsonObject {
  const product = context.state.products.get(item.productId);
  const { paidPrice } = item;
  const isText = context.assumptions.paidPriceReply === 'string' && paidPrice !== null;
  return {
    id: item.id,
    originId: item.originId,
    status: item.status,
    product: product ? productDocument(context, product) : null,
    selectedOptions: item.selectedOptions,
    paidPrice: isText ? String(paidPrice) : paidPrice,
    shipment: item.shipment,
  };
}

export function reviewDocument(context: RequestContext, review: StoredReview): JsonObject {
  const { state } = context;
  const product = state.products.get(review.productId);
  const item = state.orderItems.get(review.orderItemId);
  const order = item && state.orders.get(item.orderId);
  const { id, originId, userNickname, title, text, rating, uploadFrom, videos, images } = review;
  const { isVisible, isBlocked, blockReason, helpfulCount, reportStatus, createdAt, updatedAt } = review;
  return {
    ...{ id, originId, userNickname, title, text, rating, uploadFrom },
    videos: videos.map((urls) => ({ urls })),
    images: images.map((urls) => ({ urls })),
    product: product ? productDocument(context, product) : null,
    order: order ? orderDocument(context, order) : null,
    orderItem: item ? orderItemDocument(context, item) : null,
    questionAnswers: review.questionAnswers.map(({ question, answer }) => ({
      question: { text: question },
      answer: { text: answer },
    })),
    ...{ isVisible, isBlocked, blockReason, helpfulCount, reportStatus, createdAt, updatedAt },
  };
}

/** Also the payload of the reward webhook (API 6). */
export function rewardDocument({ state }: RequestContext, reward: StoredReward): JsonObject {
  const review = state.reviews.get(reward.reviewId);
  const item = state.orderItems.get(reward.orderItemId);
  const order = item && state.orders.get(item.orderId);
  return {
    id: reward.id,
    amount: reward.amount,
    reviewCategory: reward.reviewCategory,
    status: reward.status,
    review: review ? { id: review.id, createdAt: review.createdAt, updatedAt: review.updatedAt } : null,
    order: order ? { id: order.id, originId: order.originId, memberOriginId: order.memberOriginId } : null,
    orderItem: item ? { id: item.id, originId: item.originId } : null,
    createdAt: reward.createdAt,
  };
}

/** The id of the job at `index` of a bulk request. */
export function jobIdOf({ id }: StoredBulk, index: number): string {
  return String(Number(id) + index);
}

export function jobDocument(bulk: StoredBulk, index: number): JsonObject {
  const { entryOriginId = null, successObjectId = null, failureReason = null } = bulk.jobs[index] ?? {};
  const ending = failureReason === null ? 'SUCCESS' : 'FAILURE';
  return {
    jobId: jobIdOf(bulk, index),
    status: bulk.endedAt === null ? 'PENDING' : ending,
    entryOriginId,
    successObjectId,
    failureReason,
    createdAt: bulk.createdAt,
    startedAt: bulk.endedAt,
    endedAt: bulk.endedAt,
  };
}

/** The mean rating to two decimal places; 0 without reviews. */
function ratingAverage({ count, ratingSum }: RatingTally): number {
  return count === 0 ? 0 : Math.round((ratingSum / count) * 100) / 100;
}

/** A service may copy the image and show the URL of its copy (assumption `imageUrlReply`). */
function productImageUrl({ assumptions }: RequestContext, { id, imageUrl }: StoredProduct): string | null {
  const isCopied = assumptions.imageUrlReply === 'rehosted' && imageUrl !== null;
  return isCopied ? `https://images.sandbox.example/product/${id}` : imageUrl;
}

function image(url: string | null): JsonObject | null {
  return url === null ? null : { url };
}
