import { hintRetentionDays } from '../../contract/limits.ts';
import type { HintRecord, RewardRecord } from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';
import type { WebhookAnswer } from './webhook.ts';

const retentionMs = hintRetentionDays * 86_400_000;

/** The most hints that are kept, however young they are. */
const hintsMaximum = 100_000;

/** The hint log, oldest first; hints past their time are forgotten (API 6: 14 days). */
export function currentHints({ world, nowMs }: Visit): readonly HintRecord[] {
  for (const hint of world.hints.values()) {
    const isOld = Date.parse(hint.time) + retentionMs < nowMs;
    if (!isOld && world.hints.size <= hintsMaximum) break;
    world.hints.remove(hint.id);
  }
  return [...world.hints.values()];
}

/**
 * Takes down what the client answered to a reward webhook. The reward becomes SUCCESS or FAILURE at once, or stays as
 * it is (assumptions `rewardStatusAfterWebhook` and `webhookRedirect`); what somebody decided meanwhile is never overturned.
 */
export function recordAnswer(visit: Visit, rewardId: string, answer: WebhookAnswer): void {
  const { world, assumptions, now } = visit;
  currentHints(visit);
  world.hints.put({ id: world.nextId(), time: now, rewardId, ...answer });
  const reward = world.rewards.get(rewardId);
  if (!reward || assumptions.rewardStatusAfterWebhook === 'stays') return;
  if (isRedirect(answer) && assumptions.webhookRedirect === 'ignored') return;
  const status = answer.isPaid ? 'SUCCESS' : 'FAILURE';
  if (mayBecome(reward, status)) world.rewards.put({ ...reward, status, updatedAt: now });
}

function isRedirect({ status }: WebhookAnswer): boolean {
  return status !== null && status >= 300 && status < 400;
}

function mayBecome(reward: RewardRecord, status: 'SUCCESS' | 'FAILURE'): boolean {
  return reward.status === 'QUEUED' || (reward.status === 'FAILURE' && status === 'SUCCESS');
}
