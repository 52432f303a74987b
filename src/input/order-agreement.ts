import type { Field } from './field.ts';
import type { Entry, Problem } from './place.ts';
import { quoted } from './quoted.ts';

/** The value of one field of the order that is being read, and where it was read first. */
interface Said {
  readonly value: unknown;
  readonly place: string;
}

/**
 * Looks whether the rows of an order agree on whose it is. It remembers one order at a time: rows of one order stand
 * together. Times may differ, because shops stamp the lines of an order as they write them.
 */
export class OrderAgreement {
  readonly #key: string | undefined;
  readonly #compared: readonly { readonly path: string; readonly names: readonly string[] }[];
  #order: unknown;
  #said = new Map<string, Said>();

  constructor(fields: readonly Field[]) {
    const [key, ...others] = fields.filter(({ isOfOrder }) => isOfOrder);
    this.#key = key?.path;
    this.#compared = others
      .filter(({ type }) => type !== 'dateTime')
      .map(({ path }) => ({ path, names: path.split('.') }));
  }

  /** What a row says otherwise than the rows of its order above it. */
  take({ file, line, record }: Entry<object>): readonly Problem[] {
    if (this.#key === undefined) return [];
    const order = valueAt(record, [this.#key]);
    if (order !== this.#order) {
      this.#order = order;
      this.#said = new Map();
    }
    const problems: Problem[] = [];
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

function disagreement(
  where: Pick<Problem, 'file' | 'line' | 'column'>,
  value: unknown,
  { place }: Said,
): Problem {
  return {
    ...where,
    ...(typeof value === 'string' ? { value: quoted(value) } : {}),
    code: 'order-disagrees',
    reason: `the same order has another value on ${place}`,
    remedy: 'write the same on every row of the order, or leave all but one blank',
  };
}
