import * as z from 'zod';
import { faultKinds } from '../faults/faults.ts';
import type { RouteRow } from '../rules/handlers.ts';

/**
 * Prefix of the paths that control the sandbox. They are not part of the service: faults never affect them, and
 * assumptions do not change the form of their replies.
 */
export const controlPrefix = '/sandbox/';

/** Maximum number of reviews that one request may create. */
const reviewsMaximum = 1_000;
const mediaMaximum = 10;
/** Maximum number of coming requests that one setting of a fault may affect. */
const nextMaximum = 999_999;
/** Maximum by which one request may advance the clock. */
const advanceMaximumMs = 366 * 86_400_000;
const resendMaximum = 1_000;

const count = (maximum: number) => z.int().min(0).max(maximum);

export const writeReviewsBody = z.strictObject({
  count: z.int().min(1).max(reviewsMaximum).default(1),
  orderItemOriginId: z.string().optional(),
  rating: z.int().min(1).max(5).optional(),
  title: z.string().optional(),
  text: z.string().optional(),
  userNickname: z.string().optional(),
  images: count(mediaMaximum).optional(),
  videos: count(mediaMaximum).optional(),
});

const faultsBody = z.partialRecord(
  z.enum(Object.keys(faultKinds) as (keyof typeof faultKinds)[]),
  z.union([z.number().min(0).max(1), z.strictObject({ next: z.int().min(1).max(nextMaximum) })]),
);

const advanceBody = z.strictObject({ ms: z.int().min(1).max(advanceMaximumMs) });

const resendBody = z.strictObject({ rewardIds: z.array(z.string()).min(1).max(resendMaximum) });

/** The requests that control a running sandbox. */
export const controlTable = {
  writeReviews: { method: 'POST', path: '/sandbox/reviews', body: writeReviewsBody },
  advance: { method: 'POST', path: '/sandbox/clock', body: advanceBody },
  resendRewards: { method: 'POST', path: '/sandbox/webhook', body: resendBody },
  listHints: { method: 'GET', path: '/sandbox/hints' },
  getFaults: { method: 'GET', path: '/sandbox/faults' },
  setFaults: { method: 'PUT', path: '/sandbox/faults', body: faultsBody },
} as const satisfies Record<string, RouteRow>;
