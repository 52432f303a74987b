import { formatMoney, type Money } from '../../base/money.ts';
import { type Booking, type BookingKind, bookingAccounts } from '../../settle/manual/ledger-bookings.ts';
import { onOneLine } from '../terminal/terminal-text.ts';

const descriptions: Readonly<Record<BookingKind, string>> = {
  paid: 'paid',
  unknown: 'outcome unknown',
  'found-paid': 'unknown outcome found to be paid',
  'found-unpaid': 'unknown outcome found to be unpaid',
  imported: 'paid before this ledger',
  reversed: 'taken back by the payer',
};

/** The beginning of a journal as hledger reads it: comments on its origin, and the accounts. */
export function journalHeader(comments: readonly string[]): string {
  const accounts = Object.values(bookingAccounts).map((account) => `account ${account}`);
  return [
    ...comments.map((comment) => `; ${onOneLine(comment)}`),
    '',
    'decimal-mark .',
    ...accounts,
    '',
  ].join('\n');
}

interface TransactionText {
  readonly date: string;
  readonly time: string;
  /** Whether the ids of members are included. */
  readonly hasIds: boolean;
}

/** A booking as a transaction. Amounts have no currency symbol: they are in the shop's own unit. */
export function journalTransaction(
  { seq, rewardId, kind, debit, credit, amount, key, ref, memberOriginId }: Booking,
  { date, time, hasIds }: TransactionText,
): string {
  const member = hasIds ? memberOriginId : null;
  const tags = Object.entries({ seq, time: time.replaceAll(':', '.'), key, ref, member })
    .flatMap(([name, value]) => (value === null ? [] : [`${name}:${plain(String(value))}`]))
    .join(', ');
  return [
    '',
    `${date} reward ${plain(rewardId)} ${descriptions[kind]}  ; ${tags}`,
    posting(bookingAccounts[debit], amount),
    posting(bookingAccounts[credit], -amount),
    '',
  ].join('\n');
}

function posting(account: string, amount: Money): string {
  return `    ${account.padEnd(25)}  ${formatMoney(amount).padStart(14)}`;
}

/**
 * Text from outside as a part of a journal line, percent-encoded where it could be syntax: a comment, a second tag, a
 * date in brackets, a line break.
 */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N} ._/+@#-]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
