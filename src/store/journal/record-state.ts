import type { JobState } from '../../contract/states.ts';
import type { JournaledKind } from './push-journal.ts';

export const journaledKinds = [
  'category',
  'order',
  'order-item',
  'order-item-update',
  'product',
] as const satisfies readonly JournaledKind[];

/**
 * What is known of a record. `none`: this entry says nothing of it, and what was known before stays; `accepted` with a
 * job is that of a job not seen to end; `forgotten`: a person found that it was not sent, and what was known before
 * does not count either. Their order is that of the bits of `stateMask`, for good.
 */
export const recordStates = ['none', 'accepted', 'unknown', 'succeeded', 'failed', 'forgotten'] as const;
export type RecordState = (typeof recordStates)[number];

export const jobStates = ['pending', 'unknown', 'succeeded', 'failed'] as const satisfies readonly JobState[];

/** The state of a record whose job is in this one. */
export function stateOfJob(state: JobState): RecordState {
  return state === 'pending' ? 'accepted' : state;
}
