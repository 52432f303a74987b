import type { Assumptions } from './assumptions.ts';

/** API 3, OrderItemStatus. */
export const orderItemStatuses = ['DELIVERED', 'RETURN', 'CANCEL', 'FAIL', 'EXCHANGE'] as const;
export type OrderItemStatus = (typeof orderItemStatuses)[number];

/** API 3, RewardRequestStatus. */
export const rewardStatuses = [
  'QUEUED',
  'SENDING',
  'SUCCESS',
  'FAILURE',
  'CANCELLED',
  'INVALID',
  'UNAPPROVED',
] as const;
export type RewardStatus = (typeof rewardStatuses)[number];

/** API 2, Reward: the review categories seen in the webhook payload. An open set: the list filter takes any text. */
export const knownReviewCategories = ['VIDEO', 'IMAGE', 'TEXT'] as const;

/** The one value of `uploadFrom` the document shows (API 2, Review); an open set. */
export const knownUploadFroms = ['CHATBOT'] as const;

/** What a job has come to, read from the fields a reply may or may not carry. */
export type JobState = 'pending' | 'succeeded' | 'failed';

/** The fields of a Job that tell its state (API 2, Job). */
export interface JobSigns {
  readonly status?: string | null | undefined;
  readonly endedAt?: string | null | undefined;
  readonly successObjectId?: string | null | undefined;
  readonly failureReason?: string | null | undefined;
}

/**
 * Reads a job's state. The document shows PENDING alone, so the rest is the assumption `pendingJobStatuses`:
 * a job has ended when `endedAt` is set or its status is none of those words; it succeeded when it names the
 * object it made and failed when it names a reason. Ended with neither counts as failed.
 */
export function jobState(
  job: JobSigns,
  { pendingJobStatuses }: Pick<Assumptions, 'pendingJobStatuses'>,
): JobState {
  if (job.successObjectId) return 'succeeded';
  if (job.failureReason) return 'failed';
  const isPending = !job.endedAt && (!job.status || pendingJobStatuses.includes(job.status.toUpperCase()));
  return isPending ? 'pending' : 'failed';
}
