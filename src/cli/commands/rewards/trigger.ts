import type { SettledReward } from '../../../settle/flow/settle-reward.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import { triggerReward } from '../../../settle/flow/trigger-reward.ts';
import { payerFlags } from '../../flags/payer-flags.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { callFlags, settleFlags } from '../../flags/settle-flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { refuseUnplanned } from '../../templates/settle/payment-plans.ts';
import { reportSettlement } from '../../templates/settle/settle-report.ts';
import { withSettlement } from '../../templates/settle/settlement-session.ts';

const { concurrency: _ofMany, ...ofOne } = settleFlags;

export const rewardsTrigger = defineCommand({
  argument: { term: '<id>', help: 'the reward, by its id at the service' },
  flags: { ...payerFlags, ...ofOne, ...callFlags, ...outputFlags, progress: pushFlags.progress },
  examples: ['reviewctl rewards trigger 4711 --payer exec --payer-command /usr/local/bin/pay-points'],
  exitCodes: [4, 5, 6, 7, 9, 11, 12],
  run: async (invocation) => {
    refuseUnplanned(invocation.flags.planOwner, 'rewards trigger');
    const [rewardId = ''] = invocation.args;
    const options = { maxPerRun: { amount: null, count: null }, isOnRecord: true };
    return withSettlement(invocation, options, (settlement) =>
      reportSettlement(invocation, triggered(settlement, rewardId), {
        heading: '',
        // A reward that is named is meant to be paid.
        isHeldFailure: true,
        stop: () => undefined,
      }),
    );
  },
});

async function* triggered(settlement: Settlement, rewardId: string): AsyncGenerator<SettledReward> {
  yield await triggerReward(settlement, rewardId);
}
