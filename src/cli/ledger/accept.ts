import { acceptLedger } from '../../store/accept-ledger.ts';
import { standingFailure } from '../../store/ledger-standing.ts';
import { askFlags, isConfirmed } from '../ask.ts';
import { defineCommand } from '../command.ts';
import { offlineFlags, withAnyLedger } from './offline-ledger.ts';

export const ledgerAccept = defineCommand({
  flags: { ...askFlags, ...offlineFlags },
  examples: ['reviewctl ledger accept'],
  exitCodes: [9, 12],
  run: (invocation) =>
    withAnyLedger(invocation, async ({ ledger, standing }, { path, marksPath }) => {
      const { context, flags, notices } = invocation;
      if (standing.kind === 'current') {
        notices.summary(`${path} is the ledger in use already`);
        return 0;
      }
      // These know every payment, or nobody can tell.
      if (['other-machine', 'other-file', 'unmarked'].includes(standing.kind)) {
        throw standingFailure(path, standing);
      }
      const { message } = standingFailure(path, standing);
      notices.warning(
        message,
        'it may lack payments that were made after it was copied; from now on every other copy is refused, and must never be used again',
      );
      if (!(await isConfirmed('Is this the ledger in use from now on?', flags, context))) {
        notices.summary('nothing was changed');
        return 0;
      }
      await acceptLedger(ledger, { path, marksPath, clock: context.clock });
      notices.summary(`${path} is the ledger in use from now on; it stays frozen`);
      notices.info(
        'next, see which payments it lacks: reviewctl ledger reconcile --payer-statement FILE; once they are noted: reviewctl ledger unfreeze',
      );
      return 0;
    }),
});
