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
 * API 2, Reward: the review categories in the webhook payload. The set is open: the list filter accepts any text.
 */
export const knownReviewCategories = ['VIDEO', 'IMAGE', 'TEXT'] as const;

/** The only documented value of `uploadFrom` (API 2, Review). The set is open. */
export const knownUploadFroms = ['CHATBOT'] as const;

/**
 * The state of a job, derived from fields that a reply may lack. `unknown`: the job ended, but the reply does not say
 * whether it created its object.
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
 * Determines a job's state. The created object overrides a failure reason, which overrides the status, which overrides
 * the end time. Only a job with a failure reason or a known status of failure is failed and may be sent again.
 */
export function jobState(job: JobSigns, words: JobStatusWords): JobState {
  if (job.successObjectId) return 'succeeded';
  if (job.failureReason) return 'failed';
  const meaning = statusMeaning(job, words);
  if (meaning === 'succeeded' || meaning === 'failed') return meaning;
  return job.endedAt ? 'unknown' : 'pending';
}

/** True if a job has a status that no assumption names. */
export function hasUnfamiliarStatus(job: JobSigns, words: JobStatusWords): boolean {
  return Boolean(job.status) && statusMeaning(job, words) === undefined;
}

/** The meaning of a status according to the assumptions. */
type StatusMeaning = Exclude<JobState, 'unknown'>;

const meanings = new WeakMap<JobStatusWords, ReadonlyMap<string, StatusMeaning>>();

/** The meaning of a job's status, ignoring case; undefined if it has none, or no assumption names it. */
export function statusMeaning({ status }: JobSigns, words: JobStatusWords): StatusMeaning | undefined {
  let known = meanings.get(words);
  if (known === undefined) {
    const { pendingJobStatuses, failedJobStatuses, succeededJobStatuses } = words;
    const named = (statuses: readonly string[], meaning: StatusMeaning) =>
      statuses.map((word) => [word.toUpperCase(), meaning] as const);
    known = new Map([
      ...named(pendingJobStatuses, 'pending'),
      ...named(failedJobStatuses, 'failed'),
      ...named(succeededJobStatuses, 'succeeded'),
    ]);
    meanings.set(words, known);
  }
  return status ? known.get(status.toUpperCase()) : undefined;
}
