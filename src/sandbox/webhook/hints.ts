import { hintRetentionDays } from '../../contract/limits.ts';
import type { StoredHint, StoredReward } from '../state/records.ts';
import { type RequestContext, timestamp } from '../state/request-context.ts';
import type { DeliveryAnswer } from './webhook.ts';

const retentionMs = hintRetentionDays * 86_400_000;

/** Maximum number of hints to keep, whatever their age. */
const hintsMaximum = 100_000;

/** Removes expired hints (API 6: 14 days) and returns the hint log, oldest first. */
export function currentHints({ state, nowMs }: RequestContext): readonly StoredHint[] {
  const expired = state.hints.select(
    `document ->> 'time' < ? OR id <= (SELECT id FROM hints ORDER BY id DESC LIMIT 1 OFFSET ${hintsMaximum})`,
    timestamp(nowMs - retentionMs),
  );
  for (const { id } of expired) state.hints.remove(id);
  return state.hints.values();
}

/**
 * Logs the client's answer to a reward webhook. The reward becomes SUCCESS or FAILURE at once, or is unchanged
 * (assumptions `rewardStatusAfterWebhook` and `webhookRedirect`). A status set in the meantime is kept.
 */
export function recordAnswer(context: RequestContext, rewardId: string, answer: DeliveryAnswer): void {
  const { state, assumptions, now } = context;
  currentHints(context);
  state.hints.put({ id: state.nextId(), time: now, rewardId, ...answer });
  const reward = state.rewards.get(rewardId);
  if (!reward || assumptions.rewardStatusAfterWebhook === 'stays') return;
  if (isRedirect(answer) && assumptions.webhookRedirect === 'ignored') return;
  const status = answer.isPaid ? 'SUCCESS' : 'FAILURE';
  if (mayBecome(reward, status)) state.rewards.put({ ...reward, status, updatedAt: now });
}

function isRedirect({ status }: DeliveryAnswer): boolean {
  return status !== null && status >= 300 && status < 400;
}

function mayBecome(reward: StoredReward, status: 'SUCCESS' | 'FAILURE'): boolean {
  return reward.status === 'QUEUED' || (reward.status === 'FAILURE' && status === 'SUCCESS');
}
