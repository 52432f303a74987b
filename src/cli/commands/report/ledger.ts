import { type LedgerReport, ledgerPage } from '../../../output/reports/ledger-page.ts';
import { ledgerNextSteps } from '../../../output/views/ledger-status-text.ts';
import { ledgerMonth } from '../../../settle/manual/ledger-month.ts';
import { ledgerStatus } from '../../../settle/manual/ledger-status.ts';
import { koreanDay } from '../../../settle/rules/policy.ts';
import { periodFlags } from '../../flags/period-flags.ts';
import { capFlags } from '../../flags/settle-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { checkOut, footer, reportFlags, writePage } from '../../templates/report/report-page.ts';
import { offlineFlags, useLedger } from '../ledger/offline-ledger.ts';

const { maxAmountPerDay, maxPerReward } = capFlags;
const month = { ...periodFlags.month, help: 'the month, by Korean days (default: this month)' };

export const command = defineCommand({
  flags: { month, ...reportFlags, maxAmountPerDay, maxPerReward, ...offlineFlags },
  examples: [
    'reviewctl report ledger',
    'reviewctl report ledger --month 2026-11 --out november.html',
    'reviewctl report ledger --month 2026-11 --with-ids --out november.html --overwrite',
  ],
  exitCodes: [9, 12],
  run: async (invocation) => {
    checkOut(invocation);
    const { ledger } = await useLedger(invocation);
    const { context, flags, notices } = invocation;
    const nowMs = context.clock.now();
    const shown = flags.month ?? koreanDay(nowMs).slice(0, 'YYYY-MM'.length);
    const status = await ledgerStatus(ledger, nowMs);
    const report: LedgerReport = {
      month: shown,
      shop: status.shop,
      origin: status.origin,
      figures: await ledgerMonth(ledger, { month: shown, maxPerReward: flags.maxPerReward ?? null, nowMs }),
      isEmpty: status.states.length === 0,
      frozen: status.frozen ?? undefined,
      cap: flags.maxAmountPerDay,
      withIds: flags.withIds,
      next: ledgerNextSteps(status).map(notices.complete),
      footer: footer(invocation),
    };
    return writePage(invocation, ledgerPage(report), `ledger-${shown}.html`);
  },
});
