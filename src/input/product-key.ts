import { shellWord } from '../base/shell-word.ts';
import type { Columns, Found, Header } from './columns.ts';
import type { Field } from './field.ts';
import type { Problem } from './place.ts';
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
  steps: readonly { readonly field: Field; readonly columns: readonly number[] }[],
  { header }: Header,
): ProductId | undefined {
  const step = steps.find(({ field }) => field.isProductKey);
  if (step === undefined) return undefined;
  const columns = step.columns.flatMap((column) => header[column] ?? []);
  const keys = new Set(columns.flatMap((column) => productKeyOf(column) ?? []));
  return { path: step.field.path, columns, keys: [...keys] };
}

/**
 * The column that holds the key which the products of the shop are known by, before all that is known of the export. Where it is
 * not there nothing is left to choose: each of the others is another key, and told to be one.
 */
export function preferKey(productKey: string | undefined, columns: Columns, known: Found | undefined) {
  if (productKey === undefined) return known;
  const keyed = columns.sourceNamed(columnsOfKey(productKey), 'product-key');
  if (keyed !== undefined || known?.kind !== 'choice') return keyed ?? known;
  const [name = ''] = known.columns;
  return { kind: 'source', source: { kind: 'column', name }, origin: 'preset' } as const;
}

/** What is wrong where products are named by other keys than the one their shop goes by. */
export function otherKeyProblems(
  productKey: string | undefined,
  id: ProductId | undefined,
  { file, headerLine: line }: Header,
): readonly Problem[] {
  const [other] = id?.keys ?? [];
  if (productKey === undefined || id === undefined || other === undefined) return [];
  const kept = productKeyOf(productKey) ?? productKey;
  if (id.keys.includes(kept)) return [];
  const reason = `${id.path} comes from ${id.columns.join(' and ')}, but the products of this shop are known by ${kept}`;
  const remedy = [
    `map a column that holds ${kept}, or export the file with one;`,
    `if this file alone goes by ${other}, add --product-key ${shellWord(other)};`,
    `if the whole shop does: reviewctl config set product-key ${shellWord(other)}, then push its products and orders by it`,
  ].join('\n');
  return [{ file, line, code: 'other-product-key', reason, remedy }];
}
