import { Failure } from '../base/failure.ts';
import type { Money } from '../base/money.ts';
import { type ResultRow, readAmount, textOf } from './read-results.ts';

/** What identifies a payment in a statement: one of them must be there. */
export const statementNames = ['key', 'rewardId', 'ref'] as const;

/** Columns of a statement: what was paid, by the key, the reward or the receipt, whatever the payer knows. */
export const statementColumns = [...statementNames, 'amount', 'outcome'] as const;

/** What shops and those who pay for them call the columns; never an outcome, whose words nobody can know. */
export const statementSynonyms = {
  key: ['결제키', '지급키', 'payment key', 'idempotency key'],
  rewardId: ['리워드ID', '리워드번호', 'reward'],
  ref: ['거래번호', '거래ID', '승인번호', 'reference', 'transaction ID'],
  amount: ['금액', '지급액', '지급금액', '적립금', '적립금액', '포인트', 'points'],
} as const;

/** What a statement says of one payment; several rows may speak of the same. */
export interface StatedPayment {
  /** The first line that speaks of it. */
  readonly line: number;
  /** How it is named there: `key rv1-…`, `reward 4711`, `ref 0815`. */
  readonly name: string;
  /** All together. */
  readonly amount: Money;
  /** How often it was paid, and how often an amount below zero took something back. */
  readonly payments: number;
  readonly reversals: number;
}

/** How often it was paid in the end: what takes back a part leaves a payment, what takes back all leaves none. */
export function timesPaid({ amount, payments, reversals }: StatedPayment): number {
  if (reversals === 0) return payments;
  return amount > 0n ? Math.max(1, payments - reversals) : 0;
}

/** What a payer says it paid, held in memory. */
export class Statement {
  readonly #payments = new Map<string, StatedPayment>();
  readonly #unclaimed = new Set<string>();

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

  get size(): number {
    return this.#payments.size;
  }

  /** Those that were not taken back. */
  get paymentCount(): number {
    return [...this.#payments.values()].filter((payment) => timesPaid(payment) > 0).length;
  }

  /** Whether every amount is below zero. */
  get isAllReversals(): boolean {
    return this.size > 0 && [...this.#payments.values()].every(({ payments }) => payments === 0);
  }

  /**
   * The payments known by any of these names, which are the ledger's from here on; those that were taken back whole are left out. One of which the
   * statement shows only that it was taken back is among them, since it was made.
   */
  claim(names: readonly string[]): readonly StatedPayment[] {
    for (const name of names) this.#unclaimed.delete(name);
    return names
      .flatMap((name) => this.#payments.get(name) ?? [])
      .filter((payment) => timesPaid(payment) > 0 || payment.payments === 0);
  }

  /** What the ledger did not claim. */
  *unclaimed(): Generator<StatedPayment> {
    for (const name of this.#unclaimed) {
      const payment = this.#payments.get(name);
      if (payment !== undefined && timesPaid(payment) > 0) yield payment;
    }
  }
}

/** Payments one statement may hold: they stand in memory. */
const paymentsMaximum = 1_000_000;

/**
 * Reads a whole statement. Where it has outcomes, as a results file does, rows that are not paid are passed over.
 * @throws Failure('input') for a row without name or amount, naming its line.
 */
export async function readStatement(rows: AsyncIterable<ResultRow>, file: string): Promise<Statement> {
  const statement = new Statement();
  for await (const { line, cells } of rows) {
    if (!isPaid(cells, file, line)) continue;
    const name = nameOf(cells);
    const amount = readAmount(textOf(cells['amount']));
    if (name === undefined) throw wrong(file, line, 'none of key, rewardId and ref is filled in');
    if (amount === undefined) throw wrong(file, line, `'${textOf(cells['amount'])}' is no exact amount`);
    statement.add(line, name, amount);
    if (statement.size > paymentsMaximum)
      throw wrong(file, line, `it holds more than ${paymentsMaximum} payments`);
  }
  if (statement.isAllReversals) throw onlyTakenBack(file);
  return statement;
}

/** Words of the payer's own are not guessed at: a payment that is passed over may be made again. */
function isPaid({ outcome }: ResultRow['cells'], file: string, line: number): boolean {
  if (outcome === undefined) return true;
  const word = textOf(outcome).toLowerCase();
  if (word === 'paid') return true;
  if (word === '' || word === 'refused') return false;
  throw new Failure(
    'input',
    `${file}:${line}: '${textOf(outcome)}' is no outcome`,
    'write paid where it was paid, refused or nothing where it was not; or rename the column, if every row is a payment',
    { file, line },
  );
}

function onlyTakenBack(file: string): Failure {
  return new Failure(
    'input',
    `${file}: no payment is above zero, so that it only takes payments back`,
    'write amounts that were paid without the minus sign',
    { file },
  );
}

/** Keys that a payer was given; payers and those who move the money have keys of their own. */
const ownKey = /^rv1-[a-z2-7]{40}$/;

function nameOf(cells: ResultRow['cells']): string | undefined {
  const key = textOf(cells['key']);
  const rewardId = textOf(cells['rewardId']);
  if (key !== '' && (rewardId === '' || ownKey.test(key))) return `key ${key}`;
  if (rewardId !== '') return `reward ${rewardId}`;
  const ref = textOf(cells['ref']);
  return ref === '' ? undefined : `ref ${ref}`;
}

function wrong(file: string, line: number, reason: string): Failure {
  return new Failure(
    'input',
    `${file}:${line}: ${reason}`,
    'each row needs an amount, and the key, the rewardId or the ref of a payment; for one period add --statement-start and --statement-end',
    { file, line },
  );
}
