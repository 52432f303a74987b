import { IdNumbers } from '../../base/id-set.ts';
import { type FieldNames, type Fields, namesOf, valueIn } from '../mapping/column.ts';
import { quoted } from '../records/cell.ts';
import type { Field } from '../records/field.ts';
import type { Fault } from '../records/problem.ts';
import type { Entry, Identified, RecordKind } from '../records/record-kinds.ts';

/** The first value of a field of the current order, and its position. */
interface FirstValue {
  readonly value: unknown;
  readonly place: string;
}

/** The most rows of one order, so that a wrongly mapped column cannot exhaust memory. */
export const itemsPerOrderMaximum = 10_000;

/**
 * Checks that whole orders can be made of the rows of an input: those of an order are adjacent, not too many, and agree
 * on the fields of the order. Times may differ, because shops give each line of an order its own time. Valid rows of an
 * inconsistent order stay valid: only a person can decide which of them are right, so the push later rejects the whole
 * order.
 */
export class OrderAgreement<T extends Identified> {
  readonly #key: string;
  readonly #compared: readonly { readonly path: string; readonly names: FieldNames }[];
  /** By order, the line of its first row. */
  readonly #beginnings = new IdNumbers();
  #order: string | undefined;
  #rowCount = 0;
  #said = new Map<string, FirstValue>();

  /** For kinds whose records belong to an order; undefined for any other kind. */
  static of<T extends Identified>({ fields }: RecordKind<T>): OrderAgreement<T> | undefined {
    const key = fields.find(({ isOfOrder, isRequired }) => isOfOrder && isRequired);
    return key && new OrderAgreement(key.path, fields);
  }

  private constructor(key: string, fields: readonly Field[]) {
    this.#key = key;
    this.#compared = fields
      .filter(({ isOfOrder, path, type }) => isOfOrder && path !== key && type !== 'dateTime')
      .map(({ path }) => ({ path, names: namesOf(path) }));
  }

  /** The problems of the next rows in comparison with the rows of their orders before them. */
  check(entries: readonly Entry<T>[]): readonly Fault[] {
    const problems: Fault[] = [];
    for (const entry of entries) this.#compare(entry, problems);
    return problems;
  }

  #compare({ file, line, record }: Entry<T>, problems: Fault[]): void {
    const order = String(Reflect.get(record, this.#key));
    const where = () => ({ line, column: this.#key, value: quoted(order) });
    if (order !== this.#order) {
      this.#order = order;
      this.#rowCount = 0;
      this.#said = new Map();
      const firstLine = this.#beginnings.put(order, (known = line) => known);
      if (firstLine !== undefined) problems.push(scattered(where(), firstLine));
    }
    this.#rowCount += 1;
    if (this.#rowCount === itemsPerOrderMaximum + 1) problems.push(tooManyRows(where()));
    for (const { path, names } of this.#compared) {
      const value = valueIn(record as Fields, names);
      const before = this.#said.get(path);
      if (value === undefined || value === before?.value) continue;
      if (before === undefined) this.#said.set(path, { value, place: `${file}:${line}` });
      else problems.push(disagreement({ line, column: path }, value, before));
    }
  }
}

type Where = Pick<Fault, 'line' | 'column' | 'value'>;

function scattered(where: Where, firstLine: number): Fault {
  return {
    ...where,
    code: 'order-scattered',
    reason: `the rows of this order are apart: others begin on line ${firstLine}`,
    remedy: 'sort the file by order, so that the rows of each order follow each other',
  };
}

function tooManyRows(where: Where): Fault {
  return {
    ...where,
    code: 'order-too-long',
    reason: `this order has more than ${itemsPerOrderMaximum} rows`,
    remedy: `check that the right column identifies the order; choose another one with --map ${where.column}=HEADER`,
  };
}

function disagreement(where: Where, value: unknown, { place }: FirstValue): Fault {
  return {
    ...where,
    ...(typeof value === 'string' ? { value: quoted(value) } : {}),
    code: 'order-disagrees',
    reason: `the same order has another value on ${place}`,
    remedy: 'write the same value on every row of the order, or leave all but one blank',
  };
}
