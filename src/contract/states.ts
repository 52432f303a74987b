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

/**
 * API 2, Reward: the review categories in the webhook payload. An open set: the list filter accepts any text.
 */
export const knownReviewCategories = ['VIDEO', 'IMAGE', 'TEXT'] as const;

/** The one documented value of `uploadFrom` (API 2, Review); an open set. */
export const knownUploadFroms = ['CHATBOT'] as const;

/**
 * The state of a job, from fields that a reply may or may not have. `unknown`: it has ended, but the reply
 * does not say whether it made its object.
 */
export type JobState = 'pending' | 'succeeded' | 'failed' | 'unknown';

/** The fields of a Job that show its state (API 2, Job). */
export interface JobSigns {
  readonly status?: string | null | undefined;
  readonly endedAt?: string | null | undefined;
  readonly successObjectId?: string | null | undefined;
  readonly failureReason?: string | null | undefined;
}

/** The assumptions that name job statuses, because the document shows only PENDING (API 3). */
export type JobStatusWords = Pick<
  Assumptions,
  'pendingJobStatuses' | 'succeededJobStatuses' | 'failedJobStatuses'
>;

/**
 * Reads a job's state. The created object or a failure reason takes precedence over the status, and the
 * status over the end time. Only a job with a failure reason, or with a status known to mean failure, is
 * failed and may be sent again.
 */
export function jobState(job: JobSigns, words: JobStatusWords): JobState {
  if (job.successObjectId) return 'succeeded';
  if (job.failureReason) return 'failed';
  if (isJobStatus(words.succeededJobStatuses, job)) return 'succeeded';
  if (isJobStatus(words.failedJobStatuses, job)) return 'failed';
  return job.endedAt ? 'unknown' : 'pending';
}

/** Whether a job has a status that no assumption names. */
export function hasUnfamiliarStatus(job: JobSigns, words: JobStatusWords): boolean {
  const { pendingJobStatuses, succeededJobStatuses, failedJobStatuses } = words;
  const known = [pendingJobStatuses, succeededJobStatuses, failedJobStatuses];
  return Boolean(job.status) && !known.some((statuses) => isJobStatus(statuses, job));
}

/** Whether a job has one of these statuses, in upper or lower case. */
export function isJobStatus(statuses: readonly string[], { status }: JobSigns): boolean {
  return Boolean(status) && upperCaseOf(statuses).has(status?.toUpperCase() ?? '');
}

const upperCase = new WeakMap<readonly string[], ReadonlySet<string>>();

function upperCaseOf(statuses: readonly string[]): ReadonlySet<string> {
  let words = upperCase.get(statuses);
  if (words === undefined) {
    words = new Set(statuses.map((status) => status.toUpperCase()));
    upperCase.set(statuses, words);
  }
  return words;
}
