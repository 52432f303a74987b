import { jsonMoney } from '../../../base/money.ts';
import { ledgerStatusLines } from '../../../output/views/ledger-status-text.ts';
import { ledgerStatusView } from '../../../output/views/reward-views.ts';
import { ledgerStatus } from '../../../settle/manual/ledger-status.ts';
import { capFlags } from '../../flags/settle-flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecord } from '../../runtime/print.ts';
import { ledgerExitCodes, offlineFlags, useLedger } from './offline-ledger.ts';

export const command = defineCommand({
  flags: { maxAmountPerDay: capFlags.maxAmountPerDay, ...outputFlags, ...offlineFlags },
  examples: ['reviewctl ledger status', 'reviewctl ledger status -o ndjson | jq .oldestUnknown'],
  exitCodes: ledgerExitCodes,
  run: async (invocation) => {
    const {
      ledger,
      place: { path },
      standing: { kind: standing },
    } = await useLedger(invocation);
    const { context, flags, notices } = invocation;
    const { streams, clock } = context;
    const status = await ledgerStatus(ledger, clock.now());
    const cap = flags.maxAmountPerDay;
    const lines = ledgerStatusLines(status, { path, cap, streams, complete: notices.complete });
    const today = { ...status.today, cap: jsonMoney(cap ?? null) };
    const record = { ledger: path, ...status, standing, today };
    await printRecord(invocation, ledgerStatusView, record, lines);
  },
});
