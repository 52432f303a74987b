import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { textFlag } from '../../flags/flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { ledgerExitCodes, offlineFlags, useLedger } from './offline-ledger.ts';

export const command = defineCommand({
  flags: {
    reason: textFlag('TEXT', 'reason, shown whenever a payment is blocked'),
    ...offlineFlags,
  },
  examples: ["reviewctl ledger freeze --reason 'the payer moves to another account'"],
  exitCodes: ledgerExitCodes,
  run: async (invocation) => {
    const { flags, notices } = invocation;
    const { reason } = flags;
    if (reason === undefined) {
      throw new Failure('usage', 'freezing the ledger needs a reason', "add --reason 'TEXT'");
    }
    // Includes ledgers that are not trusted: freezing is always safe.
    const { ledger } = await useLedger(invocation);
    const { frozen: before, unfinishedImport } = await ledger.meta();
    if (unfinishedImport !== null) {
      throw new Failure('ledger', `the ledger is already frozen: ${before}`, reviewctl`ledger init`);
    }
    if (before !== null) {
      notices.summary(`the ledger is already frozen: ${before}`);
      return;
    }
    await ledger.freeze(reason);
    notices.summary('frozen: no new payment starts; payments in progress are completed');
    notices.info(hint`to allow payments again: ${reviewctl`ledger unfreeze`}`);
  },
});
