import { shellWord } from '../../base/shell-word.ts';
import { backupLedger } from '../../store/backup-ledger.ts';
import { defineCommand } from '../command.ts';
import { lookAtLedger, offlineFlags } from './offline-ledger.ts';

export const ledgerBackup = defineCommand({
  argument: { term: '<file>', help: 'where the copy goes; no file may be there yet' },
  flags: { ...offlineFlags },
  examples: ['reviewctl ledger backup "/backup/ledger-$(date +%F).db"'],
  exitCodes: [9, 12],
  run: (invocation) =>
    lookAtLedger(invocation, async (_ledger, { path }) => {
      const { args, context, notices } = invocation;
      const [file = ''] = args;
      await backupLedger(path, file, { clock: context.clock });
      notices.summary(`${path} was copied to ${file}, frozen, so that nobody pays by it unawares`);
      notices.info(`to use it one day: cp ${shellWord(file)} ${shellWord(path)}; reviewctl ledger unfreeze`);
      return 0;
    }),
});
