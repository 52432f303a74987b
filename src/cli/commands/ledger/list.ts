import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { present } from '../../../base/present.ts';
import { listTotal } from '../../../output/terminal/totals.ts';
import { entryView, unknownEntryView } from '../../../output/views/reward-views.ts';
import { entryRecord } from '../../../settle/flow/entry-record.ts';
import { leftBehind } from '../../../settle/manual/ledger-status.ts';
import type { EntryFilter, Ledger, LedgerEntry } from '../../../store/ledger/ledger.ts';
import { paymentStates, reportStates } from '../../../store/ledger/ledger-states.ts';
import { listFlag, wordValue } from '../../flags/flags.ts';
import { limitFlag, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { ledgerExitCodes, offlineFlags, useLedger } from './offline-ledger.ts';

export const command = defineCommand({
  flags: {
    payment: listFlag(wordValue(paymentStates), 'WORD', 'state of payment, such as unknown or paid'),
    report: listFlag(wordValue(reportStates), 'WORD', 'state of report, such as pending or conflict'),
    limit: limitFlag,
    ...outputFlags,
    ...offlineFlags,
  },
  examples: [
    'reviewctl ledger list --payment unknown',
    'reviewctl ledger list --report conflict,sent -o csv --excel > unconfirmed.csv',
  ],
  exitCodes: ledgerExitCodes,
  run: async (invocation) => {
    const { ledger, place, isOwnerAlive } = await useLedger(invocation);
    const { callRecordsFolder } = place;
    const { payment, report, limit } = invocation.flags;
    const left =
      payment?.includes('unknown') && !payment.includes('paying')
        ? await leftBehind(ledger, isOwnerAlive, report)
        : [];
    async function* records(): AsyncGenerator<readonly JsonObject[]> {
      let room = limit ?? Number.POSITIVE_INFINITY;
      for await (const page of entriesOf(ledger, present<EntryFilter>({ payment, report }), left)) {
        if (room === 0) return;
        const shown = page.slice(0, room);
        yield await Promise.all(
          shown.map((entry) => entryRecord(entry, { isOwnerAlive, callRecordsFolder })),
        );
        room -= shown.length;
      }
    }
    const isOfUnknown = payment?.length === 1 && payment[0] === 'unknown';
    const total = (await ledger.sums())
      .filter((sum) => (payment?.includes(sum.payment) ?? true) && (report?.includes(sum.report) ?? true))
      .reduce((count, sum) => count + sum.count, left.length);
    const { written, isCut } = await printList(
      invocation,
      isOfUnknown ? unknownEntryView : entryView,
      records(),
      (count) => listTotal(count, total, 'reward'),
    );
    if (isOfUnknown && written > 0 && !isCut) {
      invocation.notices.info(
        hint`ask the payer of each key whether it paid that amount to that member; then:
            ${reviewctl`ledger resolve ID --paid --ref R`}, or --not-paid --reason …`,
      );
    }
  },
});

async function* entriesOf(
  ledger: Ledger,
  filter: EntryFilter,
  left: readonly LedgerEntry[],
): AsyncGenerator<readonly LedgerEntry[]> {
  if (left.length > 0) yield left;
  yield* ledger.entries(filter);
}
