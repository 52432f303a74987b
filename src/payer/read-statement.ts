import { Failure } from '../base/failure.ts';
import type { Money } from '../base/money.ts';
import { cellText, type ResultRow, readAmount } from './read-results.ts';

/** The columns that identify a payment in a statement. At least one is required. */
export const statementNames = ['key', 'rewardId', 'ref'] as const;

/** The columns that show if a row is a payment: ours, and that of a payer. */
const outcomeColumns = ['outcome', 'status'] as const;

/** The columns of a statement: payments by key, reward or receipt, whichever the payer knows. */
export const statementColumns = [
  ...statementNames,
  'amount',
  ...outcomeColumns,
  'memberOriginId',
  'paidAt',
] as const;

/** Common names of the columns in shops and payment systems. */
export const statementSynonyms = {
  key: ['결제키', '지급키', 'payment key', 'idempotency key'],
  rewardId: ['리워드ID', '리워드번호', 'reward'],
  ref: ['거래번호', '거래ID', '승인번호', 'reference', 'transaction ID'],
  amount: ['금액', '지급액', '지급금액', '적립금', '적립금액', '포인트', 'points'],
  status: ['payment status', '상태', '처리상태', '지급상태', '적립상태'],
  memberOriginId: ['member ID', '회원ID', '회원아이디'],
  paidAt: ['지급일시', '지급일', '적립일시', '적립일', '거래일시', '거래일', 'paid at', 'payment date'],
} as const;

/** A payment in a statement. Several rows may belong to one payment. */
export interface StatedPayment {
  /** Its first line. */
  readonly line: number;
  /** Its name in the statement: `key rv1-…`, `reward 4711`, `ref 0815`. */
  readonly name: string;
  /** The sum of its rows. */
  readonly amount: Money;
  /** The number of its payments, and of its reversals, which have an amount below zero. */
  readonly payments: number;
  readonly reversals: number;
  /** The members in its rows. */
  readonly members: readonly string[];
}

/** The number of payments that remain: a partial reversal leaves a payment, a complete one leaves none. */
export function timesPaid({ amount, payments, reversals }: StatedPayment): number {
  if (reversals === 0) return payments;
  return amount > 0n ? Math.max(1, payments - reversals) : 0;
}

/** True unless the statement shows a payment and its full reversal. A reversal without its payment is shown. */
function isOpen(payment: StatedPayment): boolean {
  return timesPaid(payment) > 0 || payment.payments === 0;
}

/** The payments reported by a payer, held in memory. */
export class Statement {
  readonly #payments = new Map<string, StatedPayment>();
  readonly #unclaimed = new Set<string>();
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** `member` is empty for a row without a member. */
  add(line: number, name: string, amount: Money, member = ''): void {
    const first = { line, name, amount: 0n, payments: 0, reversals: 0, members: [] };
    const known = this.#payments.get(name) ?? first;
    const isNew = member !== '' && !known.members.includes(member);
    this.#payments.set(name, {
      ...known,
      members: isNew ? [...known.members, member] : known.members,
      amount: known.amount + amount,
      payments: known.payments + (amount < 0n ? 0 : 1),
      reversals: known.reversals + (amount < 0n ? 1 : 0),
    });
    this.#unclaimed.add(name);
  }

  /** Notes the time of a row, even if it is not a payment. */
  noteTime(atMs: number): void {
    this.#firstMs = Math.min(this.#firstMs, atMs);
    this.#lastMs = Math.max(this.#lastMs, atMs);
  }

  /** The times of its first and last row; undefined if no row has one. */
  get times() {
    return this.#firstMs > this.#lastMs ? undefined : { firstMs: this.#firstMs, lastMs: this.#lastMs };
  }

  get size(): number {
    return this.#payments.size;
  }

  /** The number of payments that were not reversed. */
  get paymentCount(): number {
    return [...this.#payments.values()].filter((payment) => timesPaid(payment) > 0).length;
  }

  /** True if all amounts are below zero. */
  get isAllReversals(): boolean {
    return this.size > 0 && [...this.#payments.values()].every(({ payments }) => payments === 0);
  }

  /**
   * Claims the payments with any of these names for the ledger. Omits fully reversed payments, but includes those with
   * only a reversal in the statement: they were made.
   */
  claim(names: readonly string[]): readonly StatedPayment[] {
    for (const name of names) this.#unclaimed.delete(name);
    return this.named(names).filter(isOpen);
  }

  /** The payments with any of these names, including fully reversed ones. */
  named(names: readonly string[]): readonly StatedPayment[] {
    return names.flatMap((name) => this.#payments.get(name) ?? []);
  }

  /** Payments that the ledger did not claim, and reversals of such. */
  *unclaimed(): Generator<StatedPayment> {
    for (const name of this.#unclaimed) {
      const payment = this.#payments.get(name);
      if (payment !== undefined && isOpen(payment)) yield payment;
    }
  }
}

/** The maximum number of payments in a statement, which is held in memory. */
const paymentsMaximum = 1_000_000;

/** A row of a statement, and its time in milliseconds since the epoch, if it has one. */
export type StatementRow = ResultRow & { readonly atMs?: number | undefined };

/**
 * Reads a whole statement. Skips rows marked as not paid.
 * @throws Failure('input') for a row without name or amount, or with an unknown outcome; includes its line.
 */
export async function readStatement(rows: AsyncIterable<StatementRow>, file: string): Promise<Statement> {
  const statement = new Statement();
  for await (const { line, cells, atMs } of rows) {
    if (atMs !== undefined) statement.noteTime(atMs);
    const amount = readAmount(cellText(cells['amount']));
    const areAllPaid = outcomeColumns.map((column) => isPaid(cells, column, { file, line })).every(Boolean);
    // A cancelled row with a minus sign is the reversal of a payment.
    const isReversal = amount !== undefined && amount < 0n && isCancelled(cells);
    if (!areAllPaid && !isReversal) continue;
    const name = nameOf(cells);
    if (name === undefined) throw wrong(file, line, 'key, rewardId and ref are all blank');
    if (amount === undefined)
      throw wrong(file, line, `'${cellText(cells['amount'])}' is not an exact amount`);
    statement.add(line, name, amount, cellText(cells['memberOriginId']));
    if (statement.size > paymentsMaximum)
      throw wrong(file, line, `it contains more than ${paymentsMaximum} payments`);
  }
  if (statement.isAllReversals) {
    throw new Failure(
      'input',
      `${file}: no payment is above zero: it contains only reversals`,
      'write paid amounts without a minus sign',
      { file },
    );
  }
  return statement;
}

const paidWords: readonly string[] = [
  ...['paid', 'success', 'succeeded', 'completed'],
  ...['지급', '지급완료', '적립', '적립완료', '완료', '성공'],
];
const cancelledWords: readonly string[] = ['cancelled', 'canceled', '취소', '지급취소'];
const unpaidWords: readonly string[] = [
  ...['refused', 'rejected', 'declined', 'failed', 'failure'],
  ...['거절', '반려', '실패', '지급실패'],
  ...cancelledWords,
];

/** True if a row is paid. Unknown words are rejected, not guessed: a payment skipped by mistake may be made again. */
function isPaid(
  cells: ResultRow['cells'],
  column: (typeof outcomeColumns)[number],
  place: { readonly file: string; readonly line: number },
): boolean {
  const cell = cells[column];
  if (cell === undefined) return true;
  const word = wordIn(cell);
  if (paidWords.includes(word)) return true;
  // A results file leaves it blank until a payment is made. In a payer's status, a blank may mean either.
  if (unpaidWords.includes(word) || (word === '' && column === 'outcome')) return false;
  throw new Failure(
    'input',
    `${place.file}:${place.line}: ${column}: '${cellText(cell)}' does not say whether it was paid`,
    `write one of ${paidWords.join(', ')}, or for a row that is not paid one of ${unpaidWords.join(', ')}; ` +
      'or rename the column if every row is a payment',
    place,
  );
}

function isCancelled(cells: ResultRow['cells']): boolean {
  return outcomeColumns.some((column) => cancelledWords.includes(wordIn(cells[column])));
}

function wordIn(cell: ResultRow['cells'][string]): string {
  return cellText(cell)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');
}

/** The form of our keys. Payers and other tools have their own keys. */
const ownKey = /^rv1-[a-z2-7]{40}$/;

function nameOf(cells: ResultRow['cells']): string | undefined {
  const key = cellText(cells['key']);
  const rewardId = cellText(cells['rewardId']);
  if (key !== '' && (rewardId === '' || ownKey.test(key))) return `key ${key}`;
  if (rewardId !== '') return `reward ${rewardId}`;
  const ref = cellText(cells['ref']);
  return ref === '' ? undefined : `ref ${ref}`;
}

function wrong(file: string, line: number, reason: string): Failure {
  return new Failure(
    'input',
    `${file}:${line}: ${reason}`,
    'each row needs an amount, and the key, the rewardId or the ref of a payment; ' +
      'for one period add --statement-start and --statement-end',
    { file, line },
  );
}
