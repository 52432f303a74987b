import type { Field } from '../records/field.ts';
import type { Problem } from '../records/problem.ts';
import { quoted } from '../records/quoted.ts';
import type { Entry } from '../records/record-kinds.ts';

/** The first value of a field of the current order, and its position. */
interface FirstValue {
  readonly value: unknown;
  readonly place: string;
}

/** The most rows of one order, so that a wrongly mapped column cannot exhaust memory. */
export const itemsPerOrderMaximum = 10_000;

/**
 * Checks that the rows of an order, which must be consecutive, are not too many and agree on the fields of the order.
 * Times may differ, because shops give each line of an order its own time.
 */
export class OrderAgreement {
  readonly #key: string;
  readonly #compared: readonly { readonly path: string; readonly names: readonly string[] }[];
  #order: string | undefined;
  #rowCount = 0;
  #said = new Map<string, FirstValue>();

  /** `key` is the path of the field that identifies the order. */
  constructor(key: string, fields: readonly Field[]) {
    this.#key = key;
    this.#compared = fields
      .filter(({ isOfOrder, path, type }) => isOfOrder && path !== key && type !== 'dateTime')
      .map(({ path }) => ({ path, names: path.split('.') }));
  }

  /** The problems of a row of `order` in comparison with the rows of that order before it. */
  take({ file, line, record }: Entry<object>, order: string): readonly Problem[] {
    if (order !== this.#order) {
      this.#order = order;
      this.#rowCount = 0;
      this.#said = new Map();
    }
    this.#rowCount += 1;
    const problems: Problem[] = [];
    if (this.#rowCount === itemsPerOrderMaximum + 1) {
      problems.push(tooManyRows({ file, line, column: this.#key }, order));
    }
    for (const { path, names } of this.#compared) {
      const value = valueAt(record, names);
      const before = this.#said.get(path);
      if (value === undefined || value === before?.value) continue;
      if (before === undefined) this.#said.set(path, { value, place: `${file}:${line}` });
      else problems.push(disagreement({ file, line, column: path }, value, before));
    }
    return problems;
  }
}

function valueAt(record: object, names: readonly string[]): unknown {
  let value: unknown = record;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

function tooManyRows(where: Pick<Problem, 'file' | 'line' | 'column'>, order: string): Problem {
  return {
    ...where,
    value: quoted(order),
    code: 'order-too-long',
    reason: `this order has more than ${itemsPerOrderMaximum} rows`,
    remedy: `check that the right column identifies the order; choose another one with --map ${where.column}=HEADER`,
  };
}

function disagreement(
  where: Pick<Problem, 'file' | 'line' | 'column'>,
  value: unknown,
  { place }: FirstValue,
): Problem {
  return {
    ...where,
    ...(typeof value === 'string' ? { value: quoted(value) } : {}),
    code: 'order-disagrees',
    reason: `the same order has another value on ${place}`,
    remedy: 'write the same value on every row of the order, or leave all but one blank',
  };
}
