import type { JsonObject } from '../../base/json.ts';
import type {
  CategoryRecord,
  JobRecord,
  OrderItemRecord,
  OrderRecord,
  ProductGroupRecord,
  ProductRecord,
  ReviewRecord,
  RewardRecord,
} from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';
import { ratingAverage } from '../state/tally.ts';

/*
 * The resources of API 2 as replies show them: every field, in the document's order, null where there is no value.
 */

export function productDocument(visit: Visit, product: ProductRecord): JsonObject {
  const { world, assumptions } = visit;
  const shared = world.sharedReviews(product);
  const direct = world.directReviews(product);
  return {
    id: product.id,
    originId: product.originId,
    name: product.name,
    image: image(productImageUrl(visit, product)),
    url: product.url,
    categories: product.categories.map(({ categoryId, isPrimary }) => {
      const category = world.categories.get(categoryId);
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

export function categoryDocument(category: CategoryRecord): JsonObject {
  return {
    id: category.id,
    originId: category.originId,
    name: category.name,
    isVisible: category.isVisible,
    isReviewDisabled: category.isReviewDisabled,
  };
}

export function productGroupDocument({ world }: Visit, group: ProductGroupRecord): JsonObject {
  const reviews = world.groupReviews(group.id);
  return {
    id: group.id,
    name: group.name,
    image: image(group.imageUrl),
    productCount: world.products.count('groupId', group.id),
    reviewCount: reviews.count,
    reviewRatingAverage: ratingAverage(reviews),
    createdAt: group.createdAt,
    updatedAt: group.updatedAt,
  };
}

export function orderDocument(visit: Visit, order: OrderRecord): JsonObject {
  return {
    id: order.id,
    originId: order.originId,
    orderedAt: order.orderedAt,
    memberOriginId: order.memberOriginId,
    alimtalkTemplateCode: order.alimtalkTemplateCode,
    buyer: order.buyer && { ...order.buyer },
    recipient: order.recipient && { ...order.recipient },
    items: visit.world.orderItems.find('orderId', order.id).map((item) => orderItemDocument(visit, item)),
  };
}

export function orderItemDocument(visit: Visit, item: OrderItemRecord): JsonObject {
  const product = visit.world.products.get(item.productId);
  const { paidPrice } = item;
  const isText = visit.assumptions.paidPriceReply === 'string' && paidPrice !== null;
  return {
    id: item.id,
    originId: item.originId,
    status: item.status,
    product: product ? productDocument(visit, product) : null,
    selectedOptions: item.selectedOptions,
    paidPrice: isText ? String(paidPrice) : paidPrice,
    shipment: item.shipment && { ...item.shipment },
  };
}

export function reviewDocument(visit: Visit, review: ReviewRecord): JsonObject {
  const { world } = visit;
  const product = world.products.get(review.productId);
  const item = world.orderItems.get(review.orderItemId);
  const order = item && world.orders.get(item.orderId);
  return {
    id: review.id,
    originId: review.originId,
    userNickname: review.userNickname,
    title: review.title,
    text: review.text,
    rating: review.rating,
    uploadFrom: review.uploadFrom,
    videos: review.videos.map((urls) => ({ urls: { ...urls } })),
    images: review.images.map((urls) => ({ urls: { ...urls } })),
    product: product ? productDocument(visit, product) : null,
    order: order ? orderDocument(visit, order) : null,
    orderItem: item ? orderItemDocument(visit, item) : null,
    questionAnswers: review.questionAnswers.map(({ question, answer }) => ({
      question: { text: question },
      answer: { text: answer },
    })),
    isVisible: review.isVisible,
    isBlocked: review.isBlocked,
    blockReason: review.blockReason,
    helpfulCount: review.helpfulCount,
    reportStatus: review.reportStatus,
    createdAt: review.createdAt,
    updatedAt: review.updatedAt,
  };
}

/** Also the payload of the reward webhook (API 6). */
export function rewardDocument({ world }: Visit, reward: RewardRecord): JsonObject {
  const review = world.reviews.get(reward.reviewId);
  const item = world.orderItems.get(reward.orderItemId);
  const order = item && world.orders.get(item.orderId);
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

export function jobDocument(job: JobRecord): JsonObject {
  return {
    jobId: job.id,
    status: job.status,
    entryOriginId: job.entryOriginId,
    successObjectId: job.successObjectId,
    failureReason: job.failureReason,
    createdAt: job.createdAt,
    startedAt: job.startedAt,
    endedAt: job.endedAt,
  };
}

/** Assumption `imageUrlReply`: a service may keep a copy of the image and show the address of that. */
function productImageUrl({ assumptions }: Visit, { id, imageUrl }: ProductRecord): string | null {
  const isCopied = assumptions.imageUrlReply === 'rehosted' && imageUrl !== null;
  return isCopied ? `https://images.sandbox.example/product/${id}` : imageUrl;
}

function image(url: string | null): JsonObject | null {
  return url === null ? null : { url };
}
