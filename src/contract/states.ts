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

/**
 * What a job has come to, read from the fields a reply may or may not carry. `unknown`: it has ended, and nothing in
 * the reply says whether it made its object.
 */
export type JobState = 'pending' | 'succeeded' | 'failed' | 'unknown';

/** The fields of a Job that show its state (API 2, Job). */
export interface JobSigns {
  readonly status?: string | null | undefined;
  readonly endedAt?: string | null | undefined;
  readonly successObjectId?: string | null | undefined;
  readonly failureReason?: string | null | undefined;
}

/** The assumptions that name the words of job statuses, since the document shows PENDING alone (API 3). */
export type JobStatusWords = Pick<
  Assumptions,
  'pendingJobStatuses' | 'succeededJobStatuses' | 'failedJobStatuses'
>;

/**
 * Reads a job's state. The object it made, or the reason it failed, outranks its status, and the status outranks its
 * end: only a job that names a reason, or a word known to mean failure, counts as failed and may go out again.
 */
export function jobState(job: JobSigns, words: JobStatusWords): JobState {
  if (job.successObjectId) return 'succeeded';
  if (job.failureReason) return 'failed';
  if (isJobStatus(words.succeededJobStatuses, job)) return 'succeeded';
  if (isJobStatus(words.failedJobStatuses, job)) return 'failed';
  return job.endedAt ? 'unknown' : 'pending';
}

/** Whether a job carries a status that none of the assumptions names. */
export function hasUnfamiliarStatus(job: JobSigns, words: JobStatusWords): boolean {
  const { pendingJobStatuses, succeededJobStatuses, failedJobStatuses } = words;
  const known = [pendingJobStatuses, succeededJobStatuses, failedJobStatuses];
  return Boolean(job.status) && !known.some((statuses) => isJobStatus(statuses, job));
}

/** Whether a job carries one of these statuses, in whatever case. */
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
