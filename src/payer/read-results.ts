import { inertCell } from '../base/csv-row.ts';
import { type HintText, hint, reviewctl } from '../base/hint.ts';
import type { Json } from '../base/json.ts';
import { formatMoney, type Money, type MoneyTotal, noMoney, parseMoney, plus } from '../base/money.ts';
import { nearestName } from '../base/nearest-name.ts';
import type { Payment } from './payer.ts';
import { identifyingColumns, type ResultsRecord, resultsRecord, scalarText } from './results-file.ts';

/** A row of a results file: its line, and its cells by column. */
export interface ResultRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, Json | undefined>>;
}

/** An operator's statement about one payment. */
export interface Result {
  readonly key: string;
  readonly outcome: 'paid' | 'refused';
  readonly ref: string | undefined;
  readonly message: string | undefined;
}

/** A problem that makes a file invalid. */
interface ResultProblem {
  readonly line: number;
  readonly field: keyof ResultsRecord;
  readonly message: string;
  /** Absent if the usual remedy of the field applies. */
  readonly remedy?: HintText;
}

/** The ledger's record of a key. */
export interface KnownPayment {
  readonly payment: Payment;
  /** The earlier decision; undefined while it is open. */
  readonly outcome: 'paid' | 'refused' | undefined;
}

/** Open payments, and the ids of the first ones. */
export interface OpenPayments extends MoneyTotal {
  readonly rewardIds: readonly string[];
}

export const noneOpen: OpenPayments = { ...noMoney, rewardIds: [] };

const problemsMaximum = 1000;
/** The maximum number of open payments that are named. */
const namedMaximum = 5;
const refLengthMaximum = 200;

/** The keys of a ledger. */
export interface KnownKeys {
  /** Finds the payment that the ledger handed over under a key. */
  readonly find: (key: string) => KnownPayment | undefined;
  /** Resolves with true if the reward had this key before it was found not paid. */
  readonly isEarlier: (key: string, rewardId: string) => Promise<boolean>;
}

/** The content of a file after all rows were checked. It may be imported if there are no problems. */
export type ResultsCheck = Awaited<ReturnType<typeof checkResults>>;

/** Checks all rows before any is imported. Memory grows with the number of keys, which is that of one batch. */
export async function checkResults(rows: AsyncIterable<ResultRow>, known: KnownKeys) {
  const results: Result[] = [];
  const problems: ResultProblem[] = [];
  let problemCount = 0;
  let open = noneOpen;
  const lines = new Map<string, number>();
  for await (const row of rows) {
    const read = readResult(row);
    const problem = 'field' in read ? read : await problemWith(row, read, known, lines);
    if (problem !== undefined) {
      problemCount += 1;
      if (problems.length < problemsMaximum) problems.push(problem);
    } else if ('outcome' in read) {
      results.push(read);
    } else if ('key' in read) {
      // A blank cell does not undo an earlier decision.
      const { payment, outcome } = known.find(read.key) ?? {};
      if (payment !== undefined && outcome === undefined) open = plusOpen(open, payment);
    }
  }
  return {
    /** The rows with an outcome, in order. */
    results,
    /** The undecided payments in rows without an outcome. */
    open,
    problemCount,
    /** The first problems. */
    problems,
  };
}

/** Adds an open payment, and its id if there are few. */
export function plusOpen(
  open: OpenPayments,
  { rewardId, amount }: Pick<Payment, 'rewardId' | 'amount'>,
): OpenPayments {
  const { rewardIds } = open;
  const isNamed = rewardIds.length < namedMaximum;
  return { ...plus(open, amount), rewardIds: isNamed ? [...rewardIds, rewardId] : rewardIds };
}

const outcomes = ['paid', 'refused'] as const;

/** Reads a row without regard to others. A row without an outcome returns only its key. */
function readResult({ line, cells }: ResultRow): Result | ResultProblem | Pick<Result, 'key'> {
  const key = cellText(cells['key']);
  if (key === '') return { line, field: 'key', message: 'the key, which identifies the payment, is missing' };
  const word = cellText(cells['outcome']);
  if (word === '') return { key };
  const outcome = outcomes.find((known) => known === word.toLowerCase());
  if (outcome === undefined) {
    const meant = nearestName(word, outcomes);
    const ask = meant === undefined ? '' : `; did you mean '${meant}'?`;
    const message = `'${word}' is neither paid nor refused, nor blank for a payment still open${ask}`;
    return { line, field: 'outcome', message };
  }
  const ref = cellText(cells['ref']);
  if (ref.length > refLengthMaximum)
    return { line, field: 'ref', message: `it is longer than ${refLengthMaximum} characters` };
  return { key, outcome, ref: ref || undefined, message: cellText(cells['message']) || undefined };
}

/** The problem of a row with respect to the other rows and the ledger. */
async function problemWith(
  { line, cells }: ResultRow,
  { key, outcome }: Pick<Result, 'key'> & Partial<Result>,
  { find, isEarlier }: KnownKeys,
  lines: Map<string, number>,
): Promise<ResultProblem | undefined> {
  const earlier = lines.get(key);
  if (earlier !== undefined) return { line, field: 'key', message: `line ${earlier} has the same key` };
  lines.set(key, line);
  const handed = find(key);
  if (handed === undefined) {
    const rewardId = cellText(cells['rewardId']);
    if (await isEarlier(key, rewardId)) return earlierKey(line, key, rewardId);
    return unknownKey(line, key);
  }
  const [differing, ...others] = differingColumns(cells, handed.payment);
  if (differing !== undefined) {
    const also = others.length === 0 ? '' : `; ${others.join(', ')} too`;
    return { line, field: differing, message: `${differenceIn(differing, cells, handed.payment)}${also}` };
  }
  if (handed.outcome === undefined || outcome === undefined || outcome === handed.outcome) return undefined;
  const message = `reward ${handed.payment.rewardId} is ${handed.outcome} already, and that is final`;
  return { line, field: 'outcome', message };
}

function unknownKey(line: number, key: string): ResultProblem {
  return {
    line,
    field: 'key',
    message: `this ledger handed over no payment ${key}`,
    remedy: hint`use the file of this shop as it was exported; if the ledger was restored since, take this file for a
      statement: ${reviewctl`ledger reconcile --payer-statement FILE`}`,
  };
}

function earlierKey(line: number, key: string, rewardId: string): ResultProblem {
  return {
    line,
    field: 'key',
    message: `${key} is an earlier key of reward ${rewardId}, which was recorded as not paid since`,
    remedy: hint`if it was paid anyway: ${reviewctl`ledger resolve ${rewardId} --paid --ref …`};
      if it is paid already, it was paid twice: ask the payer to reverse one; then remove the row`,
  };
}

const boundColumns = [...identifyingColumns, 'check'] as const;
type BoundColumn = (typeof boundColumns)[number];

/**
 * The columns in which a row differs from the payment of its key. A deleted column does not count, except for the
 * amount.
 */
function differingColumns(cells: ResultRow['cells'], payment: Payment): readonly BoundColumn[] {
  const record = resultsRecord(payment);
  return boundColumns.filter((column) => {
    const cell = cells[column];
    if (column === 'amount') return readAmount(cellText(cell)) !== payment.amount;
    return cell !== undefined && !isSameCell(cellText(cell), String(record[column]));
  });
}

/** True if a cell is this text, in plain form or escaped for a spreadsheet. */
export function isSameCell(written: string, text: string): boolean {
  const expected = text.trim();
  return written === expected || written === inertCell(expected);
}

function differenceIn(column: BoundColumn, cells: ResultRow['cells'], payment: Payment): string {
  const written = cellText(cells[column]);
  const { rewardId, amount } = payment;
  const shown =
    written === '' ? `the ${column} is missing` : `'${written}' is not the ${column} of this payment`;
  if (column === 'amount') return `${shown}: reward ${rewardId} is ${formatMoney(amount)}`;
  if (column === 'rewardId') return `${shown}: its key is that of reward ${rewardId}`;
  return `${shown}: reward ${rewardId} has '${resultsRecord(payment)[column]}'`;
}

/**
 * An amount in a file, where spreadsheets may separate thousands with commas; undefined for text that is not an amount.
 */
export function readAmount(text: string): Money | undefined {
  return parseMoney(/^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text);
}

/** A cell as text; empty if there is none. */
export function cellText(value: Json | undefined): string {
  return scalarText(value).trim();
}
