import * as z from 'zod';
import { lazy } from '../base/lazy.ts';
import {
  booleanParameter,
  listParameter,
  pageParameters,
  ratingParameter,
  textParameter,
  timeParameter,
} from './query-codecs.ts';
import { rewardStatuses } from './states.ts';

/** Like `schema.describe`, but without building the schema a second time. `schema` must be new. */
function described<T extends z.ZodType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

const direction = lazy(() => described(z.enum(['ASC', 'DESC']).optional().default('DESC'), 'order'));
const list = (meaning: string) => described(listParameter(textParameter), meaning);
const text = (meaning: string) => described(textParameter.optional(), meaning);
const flag = (meaning: string) => described(booleanParameter.optional(), meaning);
const time = (meaning: string) => described(timeParameter.optional(), meaning);

/** API 4.2. */
export const productsQuery = lazy(() =>
  z.strictObject({
    sort: described(z.enum(['ID', 'NAME', 'REVIEW_COUNT']).optional().default('ID'), 'sort by'),
    direction: direction(),
    ...pageParameters,
    productGroupIds: list('ids of product groups'),
    isAlimtalkEnabled: flag('chat-message notifications are enabled'),
    originIds: list('client product ids'),
  }),
);

/** API 4.5. */
export const productGroupsQuery = lazy(() =>
  z.strictObject({
    ordering: described(
      z.enum(['name', 'review_count', 'created_at', '-created_at']).optional().default('-created_at'),
      'order',
    ),
    ...pageParameters,
    name: text('name of the group'),
  }),
);

/** API 4.15. Ratings are integers from 1 to 5 (element type: not shown). */
export const reviewsQuery = lazy(() =>
  z.strictObject({
    sort: described(
      z
        .enum(['REVIEW_TYPE', 'HELPFUL_COUNT', 'CREATED_AT', 'EDITED_AT', 'UPDATED_AT'])
        .optional()
        .default('CREATED_AT'),
      'sort by',
    ),
    direction: direction(),
    ...pageParameters,
    contentTypes: list('kinds of content, such as TEXT'),
    ratings: described(listParameter(ratingParameter), 'ratings from 1 to 5'),
    text: text('review content'),
    productOriginIds: list('client product ids'),
    productName: text('name of the product'),
    orderOriginIds: list('client order ids'),
    orderMemberOriginId: text("the author's client member id"),
    orderName: text('name of buyer or recipient'),
    orderPhone: text('phone of buyer or recipient; exact match'),
    isVisible: flag('visible to consumers'),
    isBlocked: flag('visibility is restricted'),
    isFixed: flag('pinned'),
    isRewarded: flag('the reward is paid'),
    isCommented: flag('an administrator has commented'),
    isReported: flag('it was reported'),
    uploadFroms: list('where reviews were written, such as CHATBOT'),
    createdAtStart: time('written from'),
    createdAtEnd: time('written until'),
    editedAtStart: time('edited from'),
    editedAtEnd: time('edited until'),
    updatedAtStart: time('updated from'),
    updatedAtEnd: time('updated until'),
  }),
);

/** API 4.18. */
export const rewardsQuery = lazy(() =>
  z.strictObject({
    ...pageParameters,
    status: described(z.enum(rewardStatuses).optional(), 'status'),
    reviewCategories: list('review categories, such as VIDEO, IMAGE or TEXT'),
    createdAtStart: time('review written from'),
    createdAtEnd: time('review written until'),
    updatedAtStart: time('review updated from'),
    updatedAtEnd: time('review updated until'),
  }),
);
