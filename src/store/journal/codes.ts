import type { JobState } from '../../contract/states.ts';
import { damagedJournal } from './journal-failure.ts';
import type { JournaledKind } from './push-journal.ts';

/** Kinds as files hold them, for good. */
export const kindCodes = {
  category: 1,
  order: 2,
  'order-item': 3,
  'order-item-update': 4,
  product: 5,
} as const satisfies Record<JournaledKind, number>;

export const journaledKinds = Object.keys(kindCodes) as JournaledKind[];

/** @throws Failure('unreadable-path') if no kind has this code. */
export function kindOf(code: number): JournaledKind {
  const kind = journaledKinds.find((one) => kindCodes[one] === code);
  if (kind === undefined) throw damagedJournal(`no kind of records has the code ${code}`);
  return kind;
}

/**
 * What is known of a record, as rows hold it. `none`: this entry says nothing of it, and what was known before stays;
 * `accepted` with a job is that of a job not seen to end; `forgotten`: a person found that it was not sent, and what
 * was known before does not count either.
 */
export const stateCodes = {
  none: 0,
  accepted: 1,
  unknown: 2,
  succeeded: 3,
  failed: 4,
  forgotten: 5,
} as const;

/** The states of jobs as records hold them. */
export const codeOfJobState = {
  pending: stateCodes.accepted,
  unknown: stateCodes.unknown,
  succeeded: stateCodes.succeeded,
  failed: stateCodes.failed,
} as const satisfies Record<JobState, number>;

export function jobStateOf(code: number): JobState {
  if (code === stateCodes.succeeded) return 'succeeded';
  if (code === stateCodes.failed) return 'failed';
  return code === stateCodes.unknown ? 'unknown' : 'pending';
}
