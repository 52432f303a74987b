import { flatten } from '../../base/lists.ts';
import { type Money, noMoney, plus } from '../../base/money.ts';
import type { Ledger, LedgerEntry } from '../../store/ledger/ledger.ts';
import {
  ageOf,
  type HoldReason,
  inDoubtSinceMs,
  koreanDay,
  noPayer,
  type Policy,
  verdictOn,
} from '../rules/policy.ts';
import { type BookedLedger, type BookingKind, ledgerBookings } from './ledger-bookings.ts';

/** Why a reward is not paid: what policy holds it for, or that nothing but the next settlement is missing. */
export type WaitingReason = HoldReason | 'not-queued' | 'next-run';

/** A reward that is not paid, and what is missing. */
export interface WaitingReward {
  readonly rewardId: string;
  readonly amount: Money;
  readonly reason: WaitingReason;
}

/** A payment with an unknown outcome. */
export interface UnknownPayment {
  readonly rewardId: string;
  readonly amount: Money;
  /** Milliseconds since its first call; infinite where the clock was set back behind that. */
  readonly ageMs: number;
}

/** A month of a ledger, and what is open in it at this moment. */
export type LedgerMonth = Awaited<ReturnType<typeof ledgerMonth>>;

type DaySum = 'paid' | 'refused' | 'becameUnknown' | 'reversed';

/** The sum of a day that counts each kind of booking. */
const sumOfKind: Partial<Record<BookingKind, DaySum>> = {
  paid: 'paid',
  'found-paid': 'paid',
  unknown: 'becameUnknown',
  reversed: 'reversed',
};

/**
 * Reads what happened in a month such as `2026-11`, until today, and what is open now. Whether a reward is held is
 * decided by policy as of the moment at which it was last seen.
 */
export async function ledgerMonth(
  ledger: BookedLedger & Pick<Ledger, 'entries' | 'budgets'>,
  {
    month,
    maxPerReward,
    nowMs,
  }: { readonly month: string; readonly maxPerReward: Money | null; readonly nowMs: number },
) {
  const days = daysOf(month).filter((day) => day <= koreanDay(nowMs));
  const byDay = new Map(days.map((day) => [day, emptyDay(day)]));
  const add = (atMs: number, sum: DaySum, amount: Money) => {
    const day = byDay.get(koreanDay(atMs));
    if (day !== undefined) byDay.set(day.day, { ...day, [sum]: plus(day[sum], amount) });
  };
  for await (const { kind, atMs, amount } of flatten(ledgerBookings(ledger))) {
    const sum = sumOfKind[kind];
    if (sum !== undefined) add(atMs, sum, amount);
  }
  for await (const { kind, atMs, rewardId } of flatten(ledger.events())) {
    if (kind !== 'refused') continue;
    if (!byDay.has(koreanDay(atMs))) continue;
    add(atMs, 'refused', amountOf(await ledger.find(rewardId)));
  }
  for (const { scope, spentAmount, reservedAmount } of await ledger.budgets(`day ${month}`)) {
    const day = byDay.get(scope.slice('day '.length));
    if (day !== undefined) byDay.set(day.day, { ...day, spent: spentAmount, reserved: reservedAmount });
  }
  return { days: [...byDay.values()], ...(await openRewards(ledger, maxPerReward, nowMs)) };
}

function daysOf(month: string): readonly string[] {
  return Array.from({ length: 31 }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`).filter(
    (day) => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day),
  );
}

/** What happened on one Korean day, such as `2026-11-20`. */
function emptyDay(day: string) {
  return {
    day,
    paid: noMoney,
    refused: noMoney,
    /** Payments whose outcome became unknown, whether it is known by now or not. */
    becameUnknown: noMoney,
    /** Payments that the payer took back, whenever they were made. */
    reversed: noMoney,
    /** What counts for the cap of the day: spent, or reserved for payments without an outcome. */
    spent: 0n,
    reserved: 0n,
  };
}

function amountOf(entry: LedgerEntry | undefined): Money {
  return (entry?.terms ?? entry?.seen)?.amount ?? 0n;
}

async function openRewards(ledger: Pick<Ledger, 'entries'>, maxPerReward: Money | null, nowMs: number) {
  const policy = {
    maxPerReward,
    maxPerMemberPerDay: null,
    maxPerDay: null,
    maxPerRun: { amount: null, count: null },
  };
  const waiting: WaitingReward[] = [];
  const unknown: UnknownPayment[] = [];
  for await (const entry of flatten(ledger.entries({ payment: ['intended', 'unknown'] }))) {
    const { rewardId } = entry;
    const amount = amountOf(entry);
    const sinceMs = inDoubtSinceMs(entry);
    if (entry.payment === 'intended') waiting.push({ rewardId, amount, reason: reasonOf(entry, policy) });
    else unknown.push({ rewardId, amount, ageMs: ageOf(sinceMs ?? nowMs, nowMs) });
  }
  return { waiting, unknown };
}

function reasonOf(entry: LedgerEntry, policy: Policy): WaitingReason {
  const verdict = verdictOn(entry, { policy, capabilities: noPayer, nowMs: entry.seen.atMs });
  if (verdict.kind === 'held') return verdict.reason;
  return verdict.kind === 'not-queued' ? 'not-queued' : 'next-run';
}
