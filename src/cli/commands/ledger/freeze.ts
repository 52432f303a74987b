import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { isUnfinished } from '../../../settle/manual/take-over.ts';
import { valueFlag } from '../../flags/flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { lookAtLedger, offlineFlags } from './offline-ledger.ts';

export const ledgerFreeze = defineCommand({
  flags: {
    reason: {
      ...valueFlag(z.string().min(1).optional(), {
        value: 'TEXT',
        help: 'reason, shown whenever a payment is blocked',
      }),
      isContent: true,
    },
    ...offlineFlags,
  },
  examples: ["reviewctl ledger freeze --reason 'the payer moves to another account'"],
  exitCodes: [9, 12],
  run: async (invocation) => {
    const { flags, notices } = invocation;
    const { reason } = flags;
    if (reason === undefined) {
      throw new Failure('usage', 'nothing says why the ledger is to be frozen', "add --reason 'TEXT'");
    }
    // Also one that is not trusted: freezing is always safe.
    return lookAtLedger(invocation, async (ledger) => {
      const before = await ledger.frozen();
      if (isUnfinished(before)) {
        throw new Failure('ledger', `the ledger is frozen already: ${before}`, 'reviewctl ledger init');
      }
      if (before !== undefined) {
        notices.summary(`the ledger is frozen already: ${before}; it stays so`);
        return 0;
      }
      await ledger.freeze(reason);
      notices.summary('frozen: no process begins a payment from now on; what is under way comes to its end');
      notices.info('to pay again: reviewctl ledger unfreeze');
      return 0;
    });
  },
});
