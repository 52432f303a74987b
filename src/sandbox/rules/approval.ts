import type { StoredReward } from '../state/records.ts';
import { type RequestContext, timestamp } from '../state/request-context.ts';

/** How long a reward stays UNAPPROVED (the document does not say): within two weeks of cron, each is paid. */
const approvalMs = 7 * 86_400_000;

/** Makes QUEUED each reward that has been UNAPPROVED for long enough, and returns them. */
export function approveRewards({
  state,
  now,
  nowMs,
}: Pick<RequestContext, 'state' | 'now' | 'nowMs'>): readonly StoredReward[] {
  const due = state.rewards.select(
    "document ->> 'status' = 'UNAPPROVED' AND document ->> 'updatedAt' <= ?",
    timestamp(nowMs - approvalMs),
  );
  return due.map((reward) => {
    const approved: StoredReward = { ...reward, status: 'QUEUED', updatedAt: now };
    state.rewards.put(approved);
    return approved;
  });
}
