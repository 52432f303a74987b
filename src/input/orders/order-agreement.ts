import { IdNumbers } from '../../base/id-set.ts';
import { type Fields, namesOf, valueIn } from '../mapping/column.ts';
import { quoted, refuse } from '../records/cell.ts';
import type { Fault } from '../records/problem.ts';
import type { Entry, Identified, RecordKind } from '../records/record-kinds.ts';

/** The first value of a field in the current order, and its position. */
interface FirstValue {
  readonly value: unknown;
  readonly place: string;
}

/** Maximum number of rows per order, so that a wrongly mapped column cannot exhaust memory. */
export const itemsPerOrderMaximum = 10_000;

/**
 * Checks that the rows of an input form whole orders: the rows of an order are adjacent, not too many, and agree on the
 * fields of the order. Times may differ, because shops give each line of an order its own time. Valid rows of an
 * inconsistent order stay valid: only a person can decide which of them are right, so the push later rejects the whole
 * order. The function returned must receive the rows of a file in order; it returns their problems in comparison with
 * earlier rows. It is undefined for a kind whose records do not belong to orders.
 */
export function orderAgreement<T extends Identified>({
  fields,
}: RecordKind<T>): ((entries: readonly Entry<T>[]) => readonly Fault[]) | undefined {
  const keyField = fields.find(({ isOfOrder, isRequired }) => isOfOrder && isRequired);
  if (keyField === undefined) return undefined;
  const key = keyField.path;
  const compared = fields
    .filter(({ isOfOrder, path, type }) => isOfOrder && path !== key && type !== 'dateTime')
    .map(({ path }) => ({ path, names: namesOf(path) }));
  /** By order: the line of its first row. */
  const beginnings = new IdNumbers();
  let current: string | undefined;
  let rowCount = 0;
  let firstValues = new Map<string, FirstValue>();

  return (entries) => {
    const problems: Fault[] = [];
    for (const { file, line, record } of entries) {
      const order = String(Reflect.get(record, key));
      const where = () => ({ line, column: key, value: quoted(order) });
      if (order !== current) {
        current = order;
        rowCount = 0;
        firstValues = new Map();
        const firstLine = beginnings.put(order, (known = line) => known);
        if (firstLine !== undefined) problems.push(scattered(where(), firstLine));
      }
      rowCount += 1;
      if (rowCount === itemsPerOrderMaximum + 1) problems.push(tooManyRows(where()));
      for (const { path, names } of compared) {
        const value = valueIn(record as Fields, names);
        const before = firstValues.get(path);
        if (value === undefined || value === before?.value) continue;
        if (before === undefined) firstValues.set(path, { value, place: `${file}:${line}` });
        else problems.push(disagreement({ line, column: path }, value, before));
      }
    }
    return problems;
  };
}

type Where = Pick<Fault, 'line' | 'column' | 'value'>;

function scattered(where: Where, firstLine: number): Fault {
  return {
    ...where,
    ...refuse(
      'order-scattered',
      `the rows of this order are not adjacent: others begin on line ${firstLine}`,
      'sort the file by order, so that the rows of each order follow each other',
    ),
  };
}

function tooManyRows(where: Where): Fault {
  return {
    ...where,
    ...refuse(
      'order-too-long',
      `this order has more than ${itemsPerOrderMaximum} rows`,
      `check that the right column identifies the order; choose another one with --map ${where.column}=HEADER`,
    ),
  };
}

function disagreement(where: Where, value: unknown, { place }: FirstValue): Fault {
  return {
    ...where,
    ...(typeof value === 'string' ? { value: quoted(value) } : {}),
    ...refuse(
      'order-disagrees',
      `this order has another value on ${place}`,
      'write the same value on every row of the order, or leave all but one blank',
    ),
  };
}
