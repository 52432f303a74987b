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

/** The reason why a reward is not paid: a hold by policy, not QUEUED, or simply the next settlement. */
export type WaitingReason = HoldReason | 'not-queued' | 'next-run';

/** A reward that is not paid, and the reason. */
export interface WaitingReward {
  readonly rewardId: string;
  readonly amount: Money;
  readonly reason: WaitingReason;
}

/** A payment with an unknown outcome. */
export interface UnknownPayment {
  readonly rewardId: string;
  readonly amount: Money;
  /** Milliseconds since its first call; infinite if the clock was set back past that. */
  readonly ageMs: number;
}

/** A month of a ledger, and the rewards open now. */
export type LedgerMonth = Awaited<ReturnType<typeof ledgerMonth>>;

type DaySum = 'paid' | 'refused' | 'becameUnknown' | 'reversed';

/** The daily sum that counts each kind of booking. */
const sumOfKind: Partial<Record<BookingKind, DaySum>> = {
  paid: 'paid',
  'found-paid': 'paid',
  unknown: 'becameUnknown',
  reversed: 'reversed',
};

/**
 * Reads the events of a month such as `2026-11`, until today, and the rewards open now. Policy decides holds as of the
 * last observation of a reward.
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

/** The sums of one Korean day, such as `2026-11-20`. */
function emptyDay(day: string) {
  return {
    day,
    paid: noMoney,
    refused: noMoney,
    /** Payments whose outcome became unknown, even if it is known by now. */
    becameUnknown: noMoney,
    /** Payments that the payer reversed, whenever they were made. */
    reversed: noMoney,
    /** The amounts that count against the daily cap: spent, or reserved for payments without an outcome. */
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
