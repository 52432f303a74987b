import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import { unaddressable } from '../rules/policy.ts';
import { observe } from '../rules/transitions.ts';
import { type SettledReward, settleReward } from './settle-reward.ts';
import type { Settlement } from './settlement.ts';
import { observeReward } from './sync-queued.ts';

/**
 * Pays and reports one reward, as a webhook and a later poll would.
 * @throws Failure('refused') for an id that cannot be addressed, and for a reward that is neither QUEUED nor
 *   in the ledger.
 * @throws Failure('not-found') where neither service nor ledger has the reward.
 */
export async function triggerReward(settlement: Settlement, rewardId: string): Promise<SettledReward> {
  if (!isPathSegment(rewardId)) {
    throw new Failure(
      'refused',
      unaddressable(rewardId),
      'nothing was paid; have the service give the reward another id',
    );
  }
  const { ledger, service, run } = settlement;
  const isKnown = (await ledger.find(rewardId)) !== undefined;
  const shown = await service.find(rewardId, {});
  if (!isKnown && shown?.seen.status !== 'QUEUED') throw notWaiting(rewardId, shown?.seen.status);
  if (shown !== undefined) await ledger.change(rewardId, observe(rewardId, shown.seen), { by: run });
  return settleReward(settlement, { rewardId }, async () => {
    await observeReward(settlement, rewardId, {});
  });
}

function notWaiting(rewardId: string, status: string | undefined): Failure {
  const next = hint`see those that wait: ${reviewctl`rewards list --status QUEUED -o ids`}`;
  return status === undefined
    ? new Failure('not-found', `the service shows no reward ${rewardId}`, next)
    : new Failure(
        'refused',
        `reward ${rewardId} does not wait for payment: it is ${status || 'of no status'}`,
        next,
      );
}
