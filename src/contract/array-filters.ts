import type { OperationName } from './operations.ts';

/** A record of a list, as decoded by the contract. Any field may be missing. */
type Listed = Readonly<Record<string, unknown>>;

/**
 * For each list, the array parameters that filter by a field of its records, and that field. A record without the field
 * proves nothing (API 4.2, 4.15, 4.18).
 */
const shownBy: Partial<Record<OperationName, Readonly<Record<string, string>>>> = {
  listProducts: { originIds: 'originId', productGroupIds: 'group.id' },
  listReviews: {
    ratings: 'rating',
    productOriginIds: 'product.originId',
    orderOriginIds: 'order.originId',
    uploadFroms: 'uploadFrom',
  },
  listRewards: { reviewCategories: 'reviewCategory' },
};

/** An array parameter of a list, compared with the records of the reply. */
export interface FilterReading {
  readonly parameter: string;
  /** Requested values. */
  readonly asked: ReadonlySet<string>;
  /** Requested values that occur in the records. */
  readonly shown: ReadonlySet<string>;
  /** Value of the first record that was not requested; undefined if there is none. */
  readonly unrequested: string | undefined;
}

/** Compares the records of a list with the array parameters that filtered it. */
export function readFilters(
  operation: OperationName,
  query: Listed | undefined,
  records: readonly unknown[],
): readonly FilterReading[] {
  if (query === undefined) return [];
  return Object.entries(shownBy[operation] ?? {}).flatMap(([parameter, path]) => {
    const values = query[parameter];
    return Array.isArray(values) && values.length > 0 ? readFilter(parameter, values, path, records) : [];
  });
}

function readFilter(
  parameter: string,
  values: readonly unknown[],
  path: string,
  records: readonly unknown[],
): FilterReading {
  const asked = new Set(values.map(String));
  const shown = new Set<string>();
  let alike: ReadonlySet<string> | undefined;
  let unrequested: string | undefined;
  for (const record of records) {
    const value = valueAt(record, path);
    if (value === undefined) continue;
    if (asked.has(value)) {
      shown.add(value);
      continue;
    }
    alike ??= new Set([...asked].map(asCompared));
    if (!alike.has(asCompared(value))) unrequested ??= value;
  }
  return { parameter, asked, shown, unrequested };
}

function valueAt(record: unknown, path: string): string | undefined {
  let value = record;
  for (const name of path.split('.')) value = (value as Listed | null | undefined)?.[name];
  // The document does not say which filter selects a rating of 4.5.
  if (typeof value === 'number' && Number.isInteger(value)) return String(value);
  return typeof value === 'string' ? value : undefined;
}

/** A service may ignore case, width or blanks in comparisons. Such a match proves nothing about how it reads lists. */
function asCompared(value: string): string {
  return value.normalize('NFKC').trim().toLowerCase();
}
