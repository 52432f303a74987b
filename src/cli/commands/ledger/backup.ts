import { hint, reviewctl } from '../../../base/hint.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { openLedgerStore } from '../../../store/open-store.ts';
import { defineCommand } from '../../runtime/command.ts';
import { ledgerExitCodes, offlineFlags, useLedger } from './offline-ledger.ts';

export const command = defineCommand({
  argument: { term: '<file>', help: 'path of the copy; must not exist' },
  flags: offlineFlags,
  examples: ['reviewctl ledger backup "/backup/ledger-$(date +%F-%H%M).db"'],
  exitCodes: ledgerExitCodes,
  run: async (invocation) => {
    const { place } = await useLedger(invocation);
    const { path } = place;
    const { args, context, notices } = invocation;
    const [file = ''] = args;
    await (await openLedgerStore(place)).backup(file, { clock: context.clock });
    notices.summary(`${path} was copied to ${file}, frozen, so that nobody pays from it by mistake`);
    const [from, to] = [shellWord(file), shellWord(path)];
    notices.info(
      hint`to restore it: rm -f ${to}-wal ${to}-shm && cp -p ${from} ${to} && ${reviewctl`ledger accept`}; then
          ${reviewctl`ledger reconcile --payer-statement FILE --statement-end now`}, and ${reviewctl`ledger unfreeze`}`,
    );
  },
});
