import { shellWord } from '../../base/shell-word.ts';
import type { Field } from '../records/field.ts';
import type { Problem } from '../records/problem.ts';
import type { Columns, FoundSource, HeaderContext } from './columns.ts';
import { columnsOfKey, productKeyOf } from './presets/product-keys.ts';

/** What names the products of records, as it was bound. */
export interface ProductId {
  readonly path: string;
  /** The columns it is made of, as the file writes them. */
  readonly columns: readonly string[];
  /** Which keys they are known to hold. */
  readonly keys: readonly string[];
}

/** The field that names products, among those that were bound. */
export function productIdOf(
  readers: readonly { readonly field: Field; readonly columns: readonly number[] }[],
  { header }: HeaderContext,
): ProductId | undefined {
  const reader = readers.find(({ field }) => field.isProductKey);
  if (reader === undefined) return undefined;
  const columns = reader.columns.flatMap((column) => header[column] ?? []);
  const keys = new Set(columns.flatMap((column) => productKeyOf(column) ?? []));
  return { path: reader.field.path, columns, keys: [...keys] };
}

/**
 * The column that holds the key which the products of the shop are known by, before all that is known of the export. Where it is
 * not there nothing is left to choose: each of the others is another key, and told to be one.
 */
export function preferKey(productKey: string | undefined, columns: Columns, known: FoundSource | undefined) {
  if (productKey === undefined) return known;
  const keyed = columns.sourceNamed(columnsOfKey(productKey), 'product-key');
  if (keyed !== undefined || known?.kind !== 'choice') return keyed ?? known;
  const [name = ''] = known.columns;
  return { kind: 'source', source: { kind: 'column', name }, origin: 'preset' } as const;
}

/** The flag by which a file is read that names products by another key than its shop goes by. */
export interface KeyRemedy {
  readonly flag: '--map' | '--product-key';
  readonly value: string;
}

/** What is wrong where products are named by other keys than the one their shop goes by, and the flag that mends it for this file. */
export function otherKeyProblem(
  productKey: string | undefined,
  id: ProductId | undefined,
  { file, header, headerLine: line }: HeaderContext,
): { readonly problem: Problem; readonly remedy: KeyRemedy } | undefined {
  const [other] = id?.keys ?? [];
  if (productKey === undefined || id === undefined || other === undefined) return undefined;
  const kept = productKeyOf(productKey) ?? productKey;
  if (id.keys.includes(kept)) return undefined;
  const keyed = header.find((column) => productKeyOf(column) === kept);
  const flag: KeyRemedy =
    keyed === undefined
      ? { flag: '--product-key', value: other }
      : { flag: '--map', value: `${id.path}=${keyed}` };
  const reason = `${id.path} comes from ${id.columns.join(' and ')}, but the products of this shop are known by ${kept}`;
  const remedy = [
    keyed === undefined
      ? `the file has no column of ${kept}: export it with one;`
      : `take the column that holds it: --map ${shellWord(flag.value)};`,
    `if this file alone goes by ${other}, add --product-key ${shellWord(other)};`,
    `if the whole shop does: reviewctl config set product-key ${shellWord(other)}, then push its products and orders by it`,
  ].join('\n');
  const choices = [`${flag.flag} ${shellWord(flag.value)}`];
  return { problem: { file, line, code: 'other-product-key', reason, remedy, choices }, remedy: flag };
}
