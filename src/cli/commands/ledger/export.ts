import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { isoIn, koreanZone } from '../../../base/korean-time.ts';
import { formatMoney, type Money } from '../../../base/money.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { bookingView } from '../../../output/views/reward-views.ts';
import {
  type Booking,
  type BookingAccount,
  bookingAccounts,
  ledgerBookings,
} from '../../../settle/manual/ledger-bookings.ts';
import { koreanDay } from '../../../settle/rules/policy.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import { groupFlags, switchFlag } from '../../flags/flags.ts';
import { isInPeriod, type Period, periodFlags, readPeriod } from '../../flags/period-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { ledgerExitCodes, offlineFlags, useLedger } from './offline-ledger.ts';

const flags = {
  ...groupFlags('Export', {
    withIds: switchFlag('include ids of members, which are personal data'),
    excel: switchFlag('write a byte order mark, for Excel'),
  }),
  ...periodFlags,
  ...offlineFlags,
};

type ExportInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  flags,
  examples: ['reviewctl ledger export --month 2026-11 > 2026-11.csv'],
  exitCodes: ledgerExitCodes,
  run: async (invocation) => {
    const period = readPeriod(invocation.flags);
    const { ledger } = await useLedger(invocation);
    const tally = new Tally();
    const bookings = tally.of(ledgerBookings(ledger), period);
    if (!(await writeCsv(invocation, bookings))) await report(invocation, ledger, { tally, period });
    return 0;
  },
});

/** Selects the bookings of a period, page by page, and adds them up. */
class Tally {
  readonly sums = new Map<BookingAccount, Money>();
  count = 0;

  async *of(pages: AsyncIterable<readonly Booking[]>, period: Period): AsyncGenerator<readonly Booking[]> {
    for await (const page of pages) {
      const chosen = page.filter(({ atMs }) => isInPeriod(koreanDay(atMs), period));
      for (const { debit, credit, amount } of chosen) {
        this.count += 1;
        this.#add(debit, amount);
        this.#add(credit, -amount);
      }
      yield chosen;
    }
  }

  #add(account: BookingAccount, amount: Money): void {
    this.sums.set(account, (this.sums.get(account) ?? 0n) + amount);
  }
}

function koreanTime(atMs: number): string {
  return isoIn(atMs, koreanZone).slice('2026-11-20T'.length, '2026-11-20T14:36:00'.length);
}

/** Returns whether the reader of stdout went away. */
async function writeCsv({ context, flags }: ExportInvocation, pages: AsyncIterable<readonly Booking[]>) {
  const columns = [...bookingView.csvColumns, ...(flags.withIds ? ['memberOriginId'] : [])];
  const view = { ...bookingView, csvColumns: columns };
  const { isCut } = await writeRecords(
    records(pages),
    view,
    { format: 'csv', excel: flags.excel },
    context.streams,
  );
  return isCut;
}

async function* records(pages: AsyncIterable<readonly Booking[]>): AsyncGenerator<readonly JsonObject[]> {
  for await (const page of pages) yield page.map(bookingRecord);
}

function bookingRecord({ atMs, kind, debit, credit, amount, ...booking }: Booking): JsonObject {
  return {
    ...booking,
    date: koreanDay(atMs),
    time: koreanTime(atMs),
    booking: kind,
    debit: bookingAccounts[debit],
    credit: bookingAccounts[credit],
    amount: formatMoney(amount),
  };
}

/** What was written, and what a later export of the same period may still change. */
async function report(
  { context, notices }: ExportInvocation,
  ledger: Ledger,
  { tally, period }: { readonly tally: Tally; readonly period: Period },
): Promise<void> {
  const parts = (['paid', 'imported', 'unknown'] as const).flatMap((account) => {
    const amount = tally.sums.get(account) ?? 0n;
    return amount === 0n ? [] : [`${account} ${groupedMoney(amount)}`];
  });
  notices.summary([counted(tally.count, 'booking'), ...parts].join(', '));
  const today = koreanDay(context.clock.now());
  if (period.to !== undefined && period.to >= today) {
    notices.info(`the period ends on ${period.to} and is not over: export it again afterwards`);
  }
  const paying = (await ledger.sums()).filter(({ payment }) => payment === 'paying');
  const count = paying.reduce((sum, state) => sum + state.count, 0);
  if (count > 0) {
    notices.info(
      hint`not booked yet, since in progress or in a batch: ${counted(count, 'payment')}; to list them:
        ${reviewctl`ledger list --payment paying`}`,
    );
  }
}
