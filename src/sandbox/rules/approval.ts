import type { StoredReward } from '../state/records.ts';
import { type RequestContext, timestamp } from '../state/request-context.ts';

/** Time for which a reward stays UNAPPROVED (not documented). A week, so that a cron job pays each within two weeks. */
const approvalMs = 7 * 86_400_000;

/** Sets rewards to QUEUED that have been UNAPPROVED for long enough, and returns them. */
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
