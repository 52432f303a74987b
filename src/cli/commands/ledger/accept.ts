import { hint, reviewctl } from '../../../base/hint.ts';
import { openLedgerStore } from '../../../store/open-store.ts';
import { switchFlag } from '../../flags/flags.ts';
import { ledgerFlags } from '../../flags/settle-flags.ts';
import { askFlags, connectionFlags } from '../../flags/shared-flags.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { type LedgerInUse, ledgerExitCodes, lostInWords, openLedger } from './offline-ledger.ts';

const flags = {
  complete: switchFlag('it is the newest copy: no payment is missing'),
  ...ledgerFlags,
  ...connectionFlags,
  ...askFlags,
};

export type AcceptInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  flags,
  examples: [
    'reviewctl ledger accept',
    'reviewctl ledger accept --complete',
    'reviewctl ledger accept --complete -c ledger=/var/lib/reviewctl/ledger.db -c base-url=https://new.example.com',
  ],
  exitCodes: ledgerExitCodes,
  run: async (invocation) => {
    if (!invocation.flags.complete) return accept(invocation, await openLedger(invocation));
    const { acceptComplete } = await import('./accept-complete.ts');
    return acceptComplete(invocation);
  },
});

async function accept(invocation: AcceptInvocation, { ledger, standing, place }: LedgerInUse): Promise<void> {
  const { context, notices } = invocation;
  const { path } = place;
  if (standing.kind === 'unmarked' || standing.kind === 'moving') throw standing.failure;
  const known = (await ledger.meta()).restoration;
  if (standing.kind === 'current' && known !== null && known.comparedAtMs === null) {
    notices.summary(`${path} is already the ledger in use`);
    return;
  }
  // A ledger that was restored together with its mark, as from a snapshot of the machine, looks like the newest.
  const sign = known === null ? 'shows no sign of a restore' : 'its comparison with statements is discarded';
  const message =
    standing.kind === 'current' ? `${path} is the ledger in use, and ${sign}` : standing.failure.message;
  notices.warning(
    message,
    'it may lack payments made after it was copied, and results files exported since; do not pay from those ' +
      'files. From now on every other copy is refused and must never be used again',
  );
  if (!(await isChangeConfirmed('Is this the ledger in use from now on?', invocation))) return;
  await (await openLedgerStore(place)).accept(ledger, { clock: context.clock });
  notices.summary(`${path} is the ledger in use from now on; it stays frozen`);
  const { restoration } = await ledger.meta();
  notices.info(
    hint`${lostInWords(restoration?.lostEvents ?? null)}; next, get a statement of the payer that begins before it,
      and find the payments that the ledger lacks:
      ${reviewctl`ledger reconcile --payer-statement FILE --statement-end now`}; once they are recorded:
      ${reviewctl`ledger unfreeze`}`,
  );
}
