import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { present } from '../../../base/present.ts';
import { listTotal } from '../../../output/terminal/totals.ts';
import { entryView, unknownEntryView } from '../../../output/views/reward-views.ts';
import { entryRecord } from '../../../settle/flow/entry-record.ts';
import { type IsAlive, leftBehind } from '../../../settle/manual/ledger-status.ts';
import type { EntryFilter, Ledger, LedgerEntry } from '../../../store/ledger/ledger.ts';
import { paymentStates, reportStates } from '../../../store/ledger/ledger-states.ts';
import { ownerLocks } from '../../../store/open-store.ts';
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
    const { ledger, place } = await useLedger(invocation);
    const { callRecordsFolder } = place;
    const { payment, report, limit } = invocation.flags;
    const filter = present<EntryFilter>({ payment, report });
    const owners = ownerLocks(place);
    const isAlive = (owner: string) => owners.isHeld(owner);
    const left =
      payment?.includes('unknown') && !payment.includes('paying')
        ? await leftBehind(ledger, isAlive, report)
        : [];
    const isOfUnknown = payment?.length === 1 && payment[0] === 'unknown';
    const total = (await ledger.sums())
      .filter((sum) => (payment?.includes(sum.payment) ?? true) && (report?.includes(sum.report) ?? true))
      .reduce((count, sum) => count + sum.count, left.length);
    const { written, isCut } = await printList(
      invocation,
      isOfUnknown ? unknownEntryView : entryView,
      records(entriesOf(ledger, filter, left), { limit, isAlive, callRecordsFolder }),
      (count) => listTotal(count, total, 'reward'),
    );
    if (isOfUnknown && written > 0 && !isCut) {
      invocation.notices.info(
        hint`ask the payer of each key whether it paid that amount to that member; then:
            ${reviewctl`ledger resolve ID --paid --ref R`}, or --not-paid --reason …`,
      );
    }
    return 0;
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

interface Reading {
  readonly limit: number | undefined;
  readonly isAlive: IsAlive;
  readonly callRecordsFolder: string;
}

async function* records(
  entries: AsyncIterable<readonly LedgerEntry[]>,
  { limit = Number.POSITIVE_INFINITY, isAlive, callRecordsFolder }: Reading,
): AsyncGenerator<readonly JsonObject[]> {
  let left = limit;
  if (left === 0) return;
  for await (const page of entries) {
    const shown = page.slice(0, left);
    yield await Promise.all(
      shown.map((entry) => entryRecord(entry, { isOwnerAlive: isAlive, callRecordsFolder })),
    );
    left -= shown.length;
    if (left === 0) return;
  }
}
