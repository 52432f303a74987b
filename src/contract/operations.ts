import * as z from 'zod';
import { lazy, madeOnUse } from '../base/lazy.ts';
import type { Assumptions } from './assumptions.ts';
import {
  addOrderItemBody,
  bulkCreateCategoriesBody,
  bulkCreateOrderItemsBody,
  bulkCreateOrderItemsExtraBody,
  createCategoryBody,
  createOrdersBody,
  createOrdersExtraBody,
  createProductBody,
  updateOrderBody,
  updateOrderItemBody,
  updateProductBody,
  updateReviewBody,
  updateRewardBody,
} from './bodies.ts';
import { productGroupsQuery, productsQuery, reviewsQuery, rewardsQuery } from './queries.ts';
import { category, job, order, orderItem, page, product, productGroup, review, reward } from './resources.ts';
import type { Method } from './wire.ts';

/** An operation of the API. The client encodes requests with it; the sandbox routes and decodes them with it. */
export interface Operation {
  /** Number in API 4; undefined for an operation that the document only refers to. */
  readonly number?: number;
  readonly purpose: string;
  readonly method: Method;
  /** With `{name}` for each path parameter. */
  readonly path: string;
  /** True if sending the request twice has the same effect as once (assumed for PATCH and PUT). */
  readonly isRepeatable: boolean;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Replaces `body` if the service accepts more than the document shows (assumption `bulkExtraFields`). */
  readonly extraBody?: z.ZodType;
  readonly reply: z.ZodType;
}

/** A row as written below, with functions that build its schemas. */
type WrittenRow = { readonly [Field in keyof Operation]: Operation[Field] | (() => Operation[Field]) };

/** Builds the schemas of a row on first use, because a call needs those of one row. */
function row<const T extends WrittenRow>(fields: T) {
  return madeOnUse(fields);
}

/** The body of an operation under the assumption `bulkExtraFields`. */
export function bodyOf(
  { body, extraBody }: Pick<Operation, 'body' | 'extraBody'>,
  { bulkExtraFields }: Partial<Pick<Assumptions, 'bulkExtraFields'>>,
): z.ZodType | undefined {
  return bulkExtraFields === 'taken' ? (extraBody ?? body) : body;
}

const jobs = lazy(() => z.array(job()));

/** The 19 operations of API 4, in its order. */
export const documentedOperations = {
  createProduct: row({
    number: 1,
    purpose: 'create product',
    method: 'POST',
    path: '/admin/v2/product',
    isRepeatable: false,
    body: createProductBody,
    reply: product,
  }),
  listProducts: row({
    number: 2,
    purpose: 'list products',
    method: 'GET',
    path: '/admin/v2/products',
    isRepeatable: true,
    query: productsQuery,
    reply: page(product),
  }),
  getProduct: row({
    number: 3,
    purpose: 'get product',
    method: 'GET',
    path: '/admin/v2/product/{productId}',
    isRepeatable: true,
    reply: product,
  }),
  updateProduct: row({
    number: 4,
    purpose: 'update product',
    method: 'PATCH',
    path: '/admin/v2/product/{productId}',
    isRepeatable: true,
    body: updateProductBody,
    reply: product,
  }),
  listProductGroups: row({
    number: 5,
    purpose: 'list product groups',
    method: 'GET',
    path: '/admin/v2/product-groups',
    isRepeatable: true,
    query: productGroupsQuery,
    reply: page(productGroup),
  }),
  addProductToGroup: row({
    number: 6,
    purpose: 'add product to group',
    method: 'PUT',
    path: '/admin/v2/product-group/{productGroupId}/products/{productId}',
    isRepeatable: true,
    reply: productGroup,
  }),
  createCategory: row({
    number: 7,
    purpose: 'create category',
    method: 'POST',
    path: '/admin/v2/category',
    isRepeatable: false,
    body: createCategoryBody,
    reply: category,
  }),
  bulkCreateCategories: row({
    number: 8,
    purpose: 'bulk-create categories',
    method: 'POST',
    path: '/admin/v2/categories/bulk',
    isRepeatable: false,
    body: bulkCreateCategoriesBody,
    reply: jobs,
  }),
  getOrder: row({
    number: 9,
    purpose: 'get order',
    method: 'GET',
    path: '/admin/v2/order/{orderId}',
    isRepeatable: true,
    reply: order,
  }),
  updateOrder: row({
    number: 10,
    purpose: 'update order',
    method: 'PATCH',
    path: '/admin/v2/order/{orderId}',
    isRepeatable: true,
    body: updateOrderBody,
    reply: order,
  }),
  addOrderItem: row({
    number: 11,
    purpose: 'add order item to order',
    method: 'POST',
    path: '/admin/v2/order/{orderId}/order-item',
    isRepeatable: false,
    body: addOrderItemBody,
    reply: order,
  }),
  getOrderItem: row({
    number: 12,
    purpose: 'get order item of an order',
    method: 'GET',
    path: '/admin/v2/order/{orderId}/order-item/{orderItemId}',
    isRepeatable: true,
    reply: orderItem,
  }),
  updateOrderItem: row({
    number: 13,
    purpose: 'update order item',
    method: 'PATCH',
    path: '/admin/v2/order-item/{orderItemId}',
    isRepeatable: true,
    body: updateOrderItemBody,
    reply: orderItem,
  }),
  bulkCreateOrderItems: row({
    number: 14,
    purpose: 'bulk-create order items',
    method: 'POST',
    path: '/admin/v2/order-items/bulk',
    isRepeatable: false,
    body: bulkCreateOrderItemsBody,
    extraBody: bulkCreateOrderItemsExtraBody,
    reply: jobs,
  }),
  listReviews: row({
    number: 15,
    purpose: 'list reviews',
    method: 'GET',
    path: '/admin/v2/reviews',
    isRepeatable: true,
    query: reviewsQuery,
    reply: page(review),
  }),
  getReview: row({
    number: 16,
    purpose: 'get review',
    method: 'GET',
    path: '/admin/v2/review/{reviewId}',
    isRepeatable: true,
    reply: review,
  }),
  updateReview: row({
    number: 17,
    purpose: 'update review',
    method: 'PATCH',
    path: '/admin/v2/review/{reviewId}',
    isRepeatable: true,
    body: updateReviewBody,
    reply: review,
  }),
  listRewards: row({
    number: 18,
    purpose: 'list rewards',
    method: 'GET',
    path: '/admin/v2/rewards',
    isRepeatable: true,
    query: rewardsQuery,
    reply: page(reward),
  }),
  updateReward: row({
    number: 19,
    purpose: 'update reward',
    method: 'PATCH',
    path: '/admin/v2/reward/{rewardId}',
    isRepeatable: true,
    body: updateRewardBody,
    reply: reward,
  }),
} as const;

/**
 * Operations that the document mentions without an entry (end of API 4). The client calls one only if the setting with
 * its name defines method and path. Those given here are the sandbox's.
 */
export const optInOperations = {
  getJob: row({
    purpose: 'fetch a bulk job by jobId',
    method: 'GET',
    path: '/admin/v2/job/{jobId}',
    isRepeatable: true,
    reply: job,
  }),
  createOrders: row({
    purpose: 'bulk-create orders',
    method: 'POST',
    path: '/admin/v2/orders/bulk',
    isRepeatable: false,
    body: createOrdersBody,
    extraBody: createOrdersExtraBody,
    reply: jobs,
  }),
  getReward: row({
    purpose: 'fetch one reward',
    method: 'GET',
    path: '/admin/v2/reward/{rewardId}',
    isRepeatable: true,
    reply: reward,
  }),
} as const;

export const operations = { ...documentedOperations, ...optInOperations } as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;

/** The names in `{braces}` of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}
