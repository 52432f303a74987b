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
 * The known state of a record. `none`: this entry says nothing, and earlier entries count. `accepted` with a job: the
 * job has not been seen to end. `forgotten`: a person found that it was not sent, and earlier entries do not count
 * either. Their order is that of the bits of `stateMask` and must never change.
 */
export const recordStates = ['none', 'accepted', 'unknown', 'succeeded', 'failed', 'forgotten'] as const;
export type RecordState = (typeof recordStates)[number];

export const jobStates = ['pending', 'unknown', 'succeeded', 'failed'] as const satisfies readonly JobState[];

/** The state of a record whose job is in this state. */
export function stateOfJob(state: JobState): RecordState {
  return state === 'pending' ? 'accepted' : state;
}
