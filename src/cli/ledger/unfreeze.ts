import { Failure } from '../../base/failure.ts';
import { isUnfinished } from '../../settle/take-over.ts';
import { askFlags, isConfirmed } from '../ask.ts';
import { defineCommand } from '../command.ts';
import { switchFlag } from '../flags/flags.ts';
import { offlineFlags, withOfflineLedger } from './offline-ledger.ts';

export const ledgerUnfreeze = defineCommand({
  flags: {
    acceptOlder: {
      ...switchFlag({
        help: 'this ledger counts from now on, though a newer one, or another, was in use: for one restored from a backup; asks',
      }),
      isContent: true,
    },
    ...askFlags,
    ...offlineFlags,
  },
  examples: ['reviewctl ledger unfreeze', 'reviewctl ledger unfreeze --accept-older'],
  exitCodes: [9, 12],
  run: async (invocation) => {
    const { context, flags, notices } = invocation;
    const { acceptOlder } = flags;
    if (acceptOlder) {
      notices.warning(
        'rewards that were paid after this ledger was copied, and are still QUEUED, will be paid again',
        'see first what it does not know: reviewctl ledger reconcile --payer-statement FILE',
      );
      if (!(await isConfirmed('Pay by this ledger from now on?', flags, context))) {
        notices.summary('nothing was changed');
        return 0;
      }
    }
    return withOfflineLedger(invocation, acceptOlder ? 'replace' : 'heed', async (ledger) => {
      const frozen = await ledger.frozen();
      if (frozen !== undefined && isUnfinished(frozen)) throw unfinished(frozen);
      if (frozen !== undefined) await ledger.unfreeze();
      notices.summary(
        frozen === undefined ? 'the ledger was not frozen' : `no longer frozen; it was: ${frozen}`,
      );
      notices.info('see what would be paid: reviewctl rewards settle --dry-run');
      return 0;
    });
  },
});

function unfinished(reason: string): Failure {
  return new Failure(
    'ledger',
    `the ledger is not finished: ${reason}`,
    'without what was paid before, it would be paid again; go on with reviewctl ledger init and the same --already-paid',
  );
}
