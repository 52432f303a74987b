import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';
import { isSentBefore } from '../compile/content-hash.ts';

/** The records to send again, as decided by a person, although they were or may have been sent before. */
export const resendChoices = ['unknown', 'accepted', 'all'] as const;
export type Resend = (typeof resendChoices)[number];

/** The decision on a record whose creation is journaled. A record that is not sent has its outcome. */
export type PushDecision =
  | { readonly kind: 'send' }
  /** `replaces`: the hash of the content that was sent before. */
  | { readonly kind: 'update'; readonly objectId: string; readonly replaces: string }
  | {
      readonly kind: 'skipped' | 'rejected' | 'unknown';
      readonly jobId?: string | undefined;
      readonly error?: HintText;
    };

/** The facts that decide if an update can turn one content into another. */
type SentContent = Pick<KnownRecord, 'contentHash' | 'orderOriginId'>;

/** Unknown to the journal: send it. */
const toSend = { kind: 'send' } as const satisfies PushDecision;

/**
 * Decides from the journal: a record is created once. A record accepted before is skipped. One accepted with other
 * content is updated if an update can change that and the id of the created object is known; otherwise it is rejected.
 * One whose answer was lost stays unknown until a person decides. One whose job failed was never created, so it is sent
 * again.
 */
export function decide(
  known: KnownRecord | undefined,
  record: SentContent,
  resend: Resend | undefined,
): PushDecision {
  if (known === undefined) return toSend;
  if (known.fate === 'unknown') {
    if (resend === 'unknown' || resend === 'all') return toSend;
    return { kind: 'unknown', jobId: known.jobId, error: unknownReason(known) };
  }
  const isMade = known.jobState !== 'failed';
  if (!isMade || resend === 'accepted' || resend === 'all') return toSend;
  if (isSentBefore(record.contentHash, known.contentHash)) return { kind: 'skipped', jobId: known.jobId };
  if (known.orderOriginId === undefined || known.orderOriginId !== record.orderOriginId)
    return { kind: 'rejected', error: 'already accepted with other content, which no operation can change' };
  if (known.objectId !== undefined)
    return { kind: 'update', objectId: known.objectId, replaces: known.contentHash };
  const learned = isUnderWay(known) ? hint`; ${reviewctl`jobs wait`} may find it` : '';
  const error = hint`already accepted with other content, and the id of the created object is unknown, which a change
    needs${learned}`;
  return { kind: 'rejected', error };
}

/** True if a record was accepted with other content, and only the service's id of the created object is missing. */
export function needsId(known: KnownRecord | undefined, { contentHash }: SentContent): boolean {
  if (known === undefined || known.fate === 'unknown' || known.objectId !== undefined) return false;
  return known.jobState !== 'failed' && known.contentHash !== contentHash;
}

/** True if no run has seen the end of the job that creates a record. */
export function isUnderWay({ jobId, jobState }: KnownRecord): boolean {
  return jobId !== undefined && jobState === undefined;
}

function unknownReason({ jobId }: KnownRecord): HintText {
  const why =
    jobId === undefined
      ? 'sent in an earlier run whose answer was lost'
      : `sent in an earlier run, and its job ${jobId} does not show whether it was made`;
  return hint`${why}; look at the service, then record what you found with
    ${reviewctl`runs resolve RUN --sent`} or --not-sent, or send it again with --resend unknown`;
}
