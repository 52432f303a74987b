import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { checkRestored } from '../../../settle/manual/check-restored.ts';
import { switchFlag } from '../../flags/flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { lostInWords, offlineFlags, openLedger, paymentsInWords } from './offline-ledger.ts';

export const command = defineCommand({
  flags: {
    withoutStatement: switchFlag('restored, and no statement of the payer exists'),
    ...offlineFlags,
  },
  examples: ['reviewctl ledger unfreeze'],
  exitCodes: [4, 5, 7, 9, 12],
  run: async (invocation) => {
    const { ledger, standing } = await openLedger(invocation);
    const { flags, notices } = invocation;
    if (standing.kind !== 'current') throw standing.failure;
    const { frozen, unfinishedImport, restoration } = await ledger.meta();
    if (frozen !== null && unfinishedImport !== null) throw unfinished(frozen);
    const { withoutStatement } = flags;
    await checkRestored(ledger, { isWithoutStatement: withoutStatement });
    if (restoration !== null && !withoutStatement) {
      const found = paymentsInWords((await ledger.custody.lacking()).length);
      const words = lostInWords(restoration.lostEvents);
      notices.info(`${words}; the statement showed ${found} missing in the ledger`);
    }
    if (frozen !== null) await ledger.unfreeze();
    notices.summary(frozen === null ? 'the ledger was not frozen' : `no longer frozen; it was: ${frozen}`);
    notices.info(hint`to preview the payments: ${reviewctl`rewards settle --dry-run`}`);
  },
});

function unfinished(reason: string): Failure {
  return new Failure(
    'ledger',
    `the ledger is incomplete: ${reason}`,
    hint`rewards paid earlier would be paid again; finish it with ${reviewctl`ledger init`} and the same
      --already-paid`,
  );
}
