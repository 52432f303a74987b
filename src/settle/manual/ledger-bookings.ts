import { type Money, parseMoney } from '../../base/money.ts';
import type { Ledger, LedgerEvent } from '../../store/ledger/ledger.ts';

/*
 * The payments of a ledger as double-entry bookings. Only money that moved, or may have moved, is booked: a held,
 * waiting or refused reward never appears. A payment is final unless a person records its reversal. Reports to the
 * service move no money.
 */

/** The accounts of the bookings, by their exported names. */
export const bookingAccounts = {
  paid: 'expenses:rewards:paid',
  /** Paid before the ledger existed, at an unknown time. */
  imported: 'expenses:rewards:imported',
  /** Payments with an unknown outcome, until it is known. */
  unknown: 'assets:rewards:unknown',
  payer: 'assets:payer',
  earlier: 'equity:rewards:imported',
} as const;

export type BookingAccount = keyof typeof bookingAccounts;

/** The movement of each kind of booking: `amount` from `credit` to `debit`. */
const movements = {
  paid: { debit: 'paid', credit: 'payer' },
  unknown: { debit: 'unknown', credit: 'payer' },
  'found-paid': { debit: 'paid', credit: 'unknown' },
  'found-unpaid': { debit: 'payer', credit: 'unknown' },
  imported: { debit: 'imported', credit: 'earlier' },
  reversed: { debit: 'payer', credit: 'paid' },
} as const satisfies Readonly<Record<string, Readonly<Record<'debit' | 'credit', BookingAccount>>>>;

export type BookingKind = keyof typeof movements;

export interface Booking {
  /** The number of the event in the ledger. */
  readonly seq: number;
  readonly atMs: number;
  readonly rewardId: string;
  readonly kind: BookingKind;
  readonly debit: BookingAccount;
  readonly credit: BookingAccount;
  readonly amount: Money;
  /** The key of the payment; null if this ledger called no payer for it. */
  readonly key: string | null;
  /** The payer's receipt; null if it gave none. */
  readonly ref: string | null;
  readonly memberOriginId: string | null;
}

type BookedPayment = Pick<Booking, 'amount' | 'key' | 'memberOriginId'>;

/** A payment between its claim and its outcome. */
interface OpenPayment extends BookedPayment {
  /** True if it is booked as unknown. */
  readonly isUnknown: boolean;
}

/** The parts of a ledger that bookings read. */
export type BookedLedger = Pick<Ledger, 'events' | 'find'>;

/**
 * Yields every booking, in the order of the events, one page at a time. A payment with an unknown outcome is booked
 * when it becomes unknown, and again when its outcome is known; repeated calls in between add nothing. Keeps the open
 * payments in memory.
 */
export async function* ledgerBookings(ledger: BookedLedger): AsyncGenerator<readonly Booking[]> {
  const open = new Map<string, OpenPayment>();
  for await (const page of ledger.events()) {
    const bookings: Booking[] = [];
    for (const event of page) {
      const payment = open.get(event.rewardId);
      const kind = kindOf(event, payment?.isUnknown ?? false);
      if (kind === 'reversed') bookings.push(await reversalOf(ledger, event));
      else if (kind !== undefined)
        bookings.push(booking(event, kind, payment ?? (await paymentOf(ledger, event))));
      keepOpen(open, event);
    }
    yield bookings;
  }
}

/** Keeps a payment from its claim until its outcome is known. */
function keepOpen(open: Map<string, OpenPayment>, event: LedgerEvent): void {
  const { rewardId, kind, payment } = event;
  const kept = open.get(rewardId);
  if (kind === 'claimed') open.set(rewardId, { ...detailOf(event), isUnknown: kept?.isUnknown ?? false });
  else if (payment === 'unknown' && kept !== undefined) open.set(rewardId, { ...kept, isUnknown: true });
  else if (payment !== 'paying') open.delete(rewardId);
}

/** The booking of an event, if any: observations and reports move no money. */
function kindOf({ kind, detail }: LedgerEvent, isUnknown: boolean): BookingKind | undefined {
  switch (kind) {
    case 'paid':
      if (isUnknown) return 'found-paid';
      // A list names payments made before the ledger existed.
      return detail['evidence'] === 'list' ? 'imported' : 'paid';
    case 'unknown':
      return isUnknown ? undefined : 'unknown';
    case 'refused':
    case 'released':
      return isUnknown ? 'found-unpaid' : undefined;
    case 'reversed':
      return kind;
    case 'seen':
    case 'claimed':
    case 'reported':
      return undefined;
    default:
      return kind satisfies never;
  }
}

function booking(
  { seq, atMs, rewardId, detail }: LedgerEvent,
  kind: BookingKind,
  { amount, key, memberOriginId }: BookedPayment,
): Booking {
  const ref = textOf(detail['ref']);
  return { seq, atMs, rewardId, kind, ...movements[kind], amount, key, ref, memberOriginId };
}

/** Books a reversal: the payment leaves the account to which it was booked. */
async function reversalOf(ledger: BookedLedger, event: LedgerEvent): Promise<Booking> {
  const { amount } = detailOf(event);
  const booked = booking(event, 'reversed', { ...(await paymentOf(ledger, event)), amount });
  for await (const page of ledger.events(event.rewardId)) {
    const isImported = page.some(
      (one) => one.rewardId === event.rewardId && kindOf(one, false) === 'imported',
    );
    if (isImported) return { ...booked, credit: 'imported' };
  }
  return booked;
}

/** A payment recorded without a claim, by a list or a person. The event of an unseen reward has its own terms. */
async function paymentOf(ledger: BookedLedger, event: LedgerEvent): Promise<BookedPayment> {
  if (event.kind === 'paid' && 'amount' in event.detail) return detailOf(event);
  const { terms, seen } = (await ledger.find(event.rewardId)) ?? {};
  const { amount = null, memberOriginId = null } = terms ?? seen ?? {};
  return { amount: amount ?? 0n, key: terms?.key ?? null, memberOriginId };
}

function detailOf({ detail }: LedgerEvent): BookedPayment {
  return {
    amount: parseMoney(textOf(detail['amount']) ?? '') ?? 0n,
    key: textOf(detail['key']),
    memberOriginId: textOf(detail['memberOriginId']),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
