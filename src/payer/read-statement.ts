import { Failure } from '../base/failure.ts';
import type { Money } from '../base/money.ts';
import { cellText, type ResultRow, readAmount } from './read-results.ts';

/** The columns that identify a payment in a statement; at least one is required. */
export const statementNames = ['key', 'rewardId', 'ref'] as const;

/** The columns of a statement: payments by key, reward or receipt, whichever the payer knows. */
export const statementColumns = [...statementNames, 'amount', 'outcome', 'paidAt'] as const;

/**
 * Usual names of the columns in shops and payment systems. None for the outcome, whose values would be
 * guesses.
 */
export const statementSynonyms = {
  key: ['결제키', '지급키', 'payment key', 'idempotency key'],
  rewardId: ['리워드ID', '리워드번호', 'reward'],
  ref: ['거래번호', '거래ID', '승인번호', 'reference', 'transaction ID'],
  amount: ['금액', '지급액', '지급금액', '적립금', '적립금액', '포인트', 'points'],
  paidAt: ['지급일시', '지급일', '적립일시', '적립일', '거래일시', '거래일', 'paid at', 'payment date'],
} as const;

/** A payment in a statement; several rows may belong to one. */
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
}

/** The number of payments that remain: a partial reversal leaves a payment, a complete one leaves none. */
export function timesPaid({ amount, payments, reversals }: StatedPayment): number {
  if (reversals === 0) return payments;
  return amount > 0n ? Math.max(1, payments - reversals) : 0;
}

/** The payments that a payer reports, held in memory. */
export class Statement {
  readonly #payments = new Map<string, StatedPayment>();
  readonly #unclaimed = new Set<string>();
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  add(line: number, name: string, amount: Money): void {
    const known = this.#payments.get(name) ?? { line, name, amount: 0n, payments: 0, reversals: 0 };
    this.#payments.set(name, {
      ...known,
      amount: known.amount + amount,
      payments: known.payments + (amount < 0n ? 0 : 1),
      reversals: known.reversals + (amount < 0n ? 1 : 0),
    });
    this.#unclaimed.add(name);
  }

  /** Notes the time of a row, whatever it says of a payment. */
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

  /** Whether all amounts are below zero. */
  get isAllReversals(): boolean {
    return this.size > 0 && [...this.#payments.values()].every(({ payments }) => payments === 0);
  }

  /**
   * Claims the payments with any of these names for the ledger. Fully reversed payments are left out, but not
   * those of which the statement only has the reversal: they were made.
   */
  claim(names: readonly string[]): readonly StatedPayment[] {
    for (const name of names) this.#unclaimed.delete(name);
    return this.named(names).filter((payment) => timesPaid(payment) > 0 || payment.payments === 0);
  }

  /** The payments with any of these names, also those that were fully reversed. */
  named(names: readonly string[]): readonly StatedPayment[] {
    return names.flatMap((name) => this.#payments.get(name) ?? []);
  }

  /** Payments that the ledger did not claim. */
  *unclaimed(): Generator<StatedPayment> {
    for (const name of this.#unclaimed) {
      const payment = this.#payments.get(name);
      if (payment !== undefined && timesPaid(payment) > 0) yield payment;
    }
  }
}

/** The most payments that a statement may hold in memory. */
const paymentsMaximum = 1_000_000;

/** A row of a statement, and its time in milliseconds since the epoch, if it has one. */
export type StatementRow = ResultRow & { readonly atMs?: number | undefined };

/**
 * Reads a whole statement. Where it has outcomes, as a results file does, rows that are not paid are skipped.
 * @throws Failure('input') for a row without name or amount, with its line.
 */
export async function readStatement(rows: AsyncIterable<StatementRow>, file: string): Promise<Statement> {
  const statement = new Statement();
  for await (const { line, cells, atMs } of rows) {
    if (atMs !== undefined) statement.noteTime(atMs);
    if (!isPaid(cells, file, line)) continue;
    const name = nameOf(cells);
    const amount = readAmount(cellText(cells['amount']));
    if (name === undefined) throw wrong(file, line, 'key, rewardId and ref are all blank');
    if (amount === undefined) throw wrong(file, line, `'${cellText(cells['amount'])}' is no exact amount`);
    statement.add(line, name, amount);
    if (statement.size > paymentsMaximum)
      throw wrong(file, line, `it holds more than ${paymentsMaximum} payments`);
  }
  if (statement.isAllReversals) throw onlyTakenBack(file);
  return statement;
}

/** Unknown words are rejected, not guessed: a payment that is skipped by mistake may be made again. */
function isPaid({ outcome }: ResultRow['cells'], file: string, line: number): boolean {
  if (outcome === undefined) return true;
  const word = cellText(outcome).toLowerCase();
  if (word === 'paid') return true;
  if (word === '' || word === 'refused') return false;
  throw new Failure(
    'input',
    `${file}:${line}: '${cellText(outcome)}' is no outcome`,
    'write paid, refused, or nothing for a row that is not paid; or rename the column if every row is a payment',
    { file, line },
  );
}

function onlyTakenBack(file: string): Failure {
  return new Failure(
    'input',
    `${file}: no payment is above zero: it contains only reversals`,
    'write paid amounts without a minus sign',
    { file },
  );
}

/** The form of our keys; payers and other tools have keys of their own. */
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
