import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { koreanZone } from '../../../base/korean-time.ts';
import { formatMoney, type Money } from '../../../base/money.ts';
import { journalHeader, journalTransaction } from '../../../output/formats/hledger-journal.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import { type Streams, writeOutput } from '../../../output/terminal/streams.ts';
import { terminalText } from '../../../output/terminal/terminal-text.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { bookingView } from '../../../output/views/reward-views.ts';
import { isoIn } from '../../../output/views/shown-time.ts';
import {
  type Booking,
  type BookingAccount,
  bookingAccounts,
  ledgerBookings,
} from '../../../settle/manual/ledger-bookings.ts';
import { koreanDay } from '../../../settle/rules/policy.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import { groupFlags, switchFlag, valueFlag, wordValue } from '../../flags/flags.ts';
import { isInPeriod, type Period, periodFlags, readPeriod } from '../../flags/period-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { lookAtLedger, offlineFlags } from './offline-ledger.ts';

const flags = {
  ...groupFlags('Export', {
    format: {
      ...valueFlag(wordValue(['csv', 'hledger']).default('csv'), {
        value: 'FORMAT',
        help: 'csv, or hledger for a journal of plain text accounting (default csv)',
      }),
      isContent: true,
    },
    withIds: {
      ...switchFlag({ help: 'include the ids of members, which are personal data' }),
      isContent: true,
    },
    excel: switchFlag({ help: 'with csv: write a byte order mark, for Excel' }),
  }),
  ...periodFlags,
  ...offlineFlags,
};

type ExportInvocation = Invocation<typeof flags>;

export const ledgerExport = defineCommand({
  flags,
  examples: [
    'reviewctl ledger export --month 2026-11 > 2026-11.csv',
    'reviewctl ledger export --month 2026-11 --format hledger > 2026-11.journal',
  ],
  exitCodes: [4, 5, 9, 12],
  run: (invocation) => {
    const period = readPeriod(invocation.flags);
    checkExcel(invocation);
    return lookAtLedger(invocation, async (ledger) => {
      const tally = new Tally();
      const bookings = tally.of(ledgerBookings(ledger), period);
      const isCut =
        invocation.flags.format === 'csv'
          ? await writeCsv(invocation, bookings)
          : await writeJournal(invocation, bookings, await journalComments(ledger, period));
      if (!isCut) await report(invocation, ledger, { tally, period });
      return 0;
    });
  },
});

/** A setting for all CSV output says nothing of a journal; a typed flag does. */
function checkExcel({ flags, sources }: ExportInvocation): void {
  if (flags.format === 'csv' || sources.flags['excel'] !== true) return;
  throw new Failure('usage', `--excel has no effect on --format ${flags.format}`, 'leave out one of them');
}

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

/** Returns whether the reader of stdout went away. */
async function writeJournal(
  { context: { streams }, flags }: ExportInvocation,
  pages: AsyncIterable<readonly Booking[]>,
  comments: readonly string[],
): Promise<boolean> {
  const isTaken = (text: string) => text === '' || writeOutput(streams, shownText(text, streams));
  if (!(await isTaken(journalHeader(comments)))) return true;
  for await (const page of pages) {
    const transactions = page.map((booking) =>
      journalTransaction(booking, {
        date: koreanDay(booking.atMs),
        time: koreanTime(booking.atMs),
        hasIds: flags.withIds,
      }),
    );
    if (!(await isTaken(transactions.join('')))) return true;
  }
  return false;
}

function shownText(text: string, { isOutputTerminal }: Streams): string {
  return isOutputTerminal ? text.split('\n').map(terminalText).join('\n') : text;
}

async function journalComments(ledger: Ledger, { from, to }: Period): Promise<readonly string[]> {
  const { shop, origin, ledgerId } = ledger.identity;
  return [
    `rewards of the shop ${shop} at ${origin}, in the shop's own unit`,
    `Korean days, from ${from ?? 'the first event'} to ${to ?? 'the last one'}`,
    `ledger ${ledgerId}, ${await ledger.lastSeq()} events`,
  ];
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
