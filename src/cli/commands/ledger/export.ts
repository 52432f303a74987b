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
    const { context, flags } = invocation;
    const period = readPeriod(flags);
    const { ledger } = await useLedger(invocation);
    const sums = new Map<BookingAccount, Money>();
    const add = (account: BookingAccount, amount: Money) =>
      sums.set(account, (sums.get(account) ?? 0n) + amount);
    async function* records(): AsyncGenerator<readonly JsonObject[]> {
      for await (const page of ledgerBookings(ledger)) {
        const chosen = page.filter(({ atMs }) => isInPeriod(koreanDay(atMs), period));
        for (const { debit, credit, amount } of chosen) {
          add(debit, amount);
          add(credit, -amount);
        }
        yield chosen.map(bookingRecord);
      }
    }
    const columns = [...bookingView.csvColumns, ...(flags.withIds ? ['memberOriginId'] : [])];
    const view = { ...bookingView, csvColumns: columns };
    const options = { format: 'csv', excel: flags.excel } as const;
    const { isCut, written } = await writeRecords(records(), view, options, context.streams);
    if (!isCut) await report(invocation, ledger, { sums, count: written, period });
  },
});

function koreanTime(atMs: number): string {
  return isoIn(atMs, koreanZone).slice('2026-11-20T'.length, '2026-11-20T14:36:00'.length);
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

interface Exported {
  /** The sum of each account: debits are positive, credits negative. */
  readonly sums: ReadonlyMap<BookingAccount, Money>;
  readonly count: number;
  readonly period: Period;
}

/** Reports what was written, and what a later export of the same period may still change. */
async function report(
  { context, notices }: ExportInvocation,
  ledger: Ledger,
  { sums, count, period }: Exported,
): Promise<void> {
  const parts = (['paid', 'imported', 'unknown'] as const).flatMap((account) => {
    const amount = sums.get(account) ?? 0n;
    return amount === 0n ? [] : [`${account} ${groupedMoney(amount)}`];
  });
  notices.summary([counted(count, 'booking'), ...parts].join(', '));
  const today = koreanDay(context.clock.now());
  if (period.to !== undefined && period.to >= today) {
    notices.info(`the period ends on ${period.to} and is not over: export it again afterwards`);
  }
  const paying = (await ledger.sums()).filter(({ payment }) => payment === 'paying');
  const open = paying.reduce((sum, state) => sum + state.count, 0);
  if (open > 0) {
    notices.info(
      hint`not booked yet, since in progress or in a batch: ${counted(open, 'payment')}; to list them:
        ${reviewctl`ledger list --payment paying`}`,
    );
  }
}
