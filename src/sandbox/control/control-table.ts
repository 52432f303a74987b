import * as z from 'zod';
import { faultKinds } from '../faults/faults.ts';
import type { Row } from '../rules/handlers.ts';

/** Where the sandbox itself is steered; no path of the service, and never struck by faults. */
export const controlPrefix = '/sandbox/';

/** How much one request may make. */
const seedMaximum = 100_000;
const reviewsMaximum = 1_000;
const mediaMaximum = 10;

const count = (maximum: number) => z.int().min(0).max(maximum);

const seedBody = z.strictObject({
  products: count(seedMaximum).default(0),
  orders: count(seedMaximum).default(0),
  reviews: count(seedMaximum).default(0),
});

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
  z.number().min(0).max(1),
);

/** The requests that steer a running sandbox. */
export const controlTable = {
  seed: { method: 'POST', path: '/sandbox/seed', body: seedBody },
  writeReviews: { method: 'POST', path: '/sandbox/reviews', body: writeReviewsBody },
  listHints: { method: 'GET', path: '/sandbox/hints' },
  getFaults: { method: 'GET', path: '/sandbox/faults' },
  setFaults: { method: 'PUT', path: '/sandbox/faults', body: faultsBody },
  getJournal: { method: 'GET', path: '/sandbox/journal' },
} as const satisfies Record<string, Row>;
