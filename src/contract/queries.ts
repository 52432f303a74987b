import * as z from 'zod';
import {
  booleanParameter,
  integerParameter,
  listParameter,
  pageParameters,
  textParameter,
  timeParameter,
} from './query-codecs.ts';
import { rewardStatuses } from './states.ts';

const direction = z.enum(['ASC', 'DESC']).optional().default('DESC');
const ids = listParameter(textParameter);
const flag = booleanParameter.optional();
const time = timeParameter.optional();

/** API 4.2. */
export const productsQuery = z.strictObject({
  sort: z.enum(['ID', 'NAME', 'REVIEW_COUNT']).optional().default('ID'),
  direction,
  ...pageParameters,
  productGroupIds: ids,
  isAlimtalkEnabled: flag,
  originIds: ids,
});

/** API 4.5. */
export const productGroupsQuery = z.strictObject({
  ordering: z.enum(['name', 'review_count', 'created_at', '-created_at']).optional().default('-created_at'),
  ...pageParameters,
  name: textParameter.optional(),
});

/** API 4.15. Ratings are integers from 1 to 5 (element type: not shown). */
export const reviewsQuery = z.strictObject({
  sort: z
    .enum(['REVIEW_TYPE', 'HELPFUL_COUNT', 'CREATED_AT', 'EDITED_AT', 'UPDATED_AT'])
    .optional()
    .default('CREATED_AT'),
  direction,
  ...pageParameters,
  contentTypes: ids,
  ratings: listParameter(integerParameter),
  text: textParameter.optional(),
  productOriginIds: ids,
  productName: textParameter.optional(),
  orderOriginIds: ids,
  orderMemberOriginId: textParameter.optional(),
  orderName: textParameter.optional(),
  orderPhone: textParameter.optional(),
  isVisible: flag,
  isBlocked: flag,
  isFixed: flag,
  isRewarded: flag,
  isCommented: flag,
  isReported: flag,
  uploadFroms: ids,
  createdAtStart: time,
  createdAtEnd: time,
  editedAtStart: time,
  editedAtEnd: time,
  updatedAtStart: time,
  updatedAtEnd: time,
});

/** API 4.18. */
export const rewardsQuery = z.strictObject({
  ...pageParameters,
  status: z.enum(rewardStatuses).optional(),
  reviewCategories: ids,
  createdAtStart: time,
  createdAtEnd: time,
  updatedAtStart: time,
  updatedAtEnd: time,
});
