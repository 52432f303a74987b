import { hint, joinHints, reviewctl } from '../../base/hint.ts';
import { flagWord, shellWord } from '../../base/shell-word.ts';
import { comparisonKey } from '../records/headers.ts';
import type { Fault } from '../records/problem.ts';
import type { Column } from './column.ts';
import type { Columns, FoundSource } from './columns.ts';
import type { FileHeader } from './recognize.ts';

/*
 * The keys by which shop systems identify products. Files of products and of orders name the same key differently. A
 * shop that is pushed with two keys gets every product twice, or orders of unknown products.
 */

/** The columns that hold each key in any file. */
const productKeys: Readonly<Record<string, readonly string[]>> = {
  상품코드: ['상품코드'],
  상품번호: ['상품번호', '상품번호(스마트스토어)'],
  '자체 상품코드': ['자체 상품코드'],
  상품품목코드: ['상품품목코드'],
  '판매자 상품코드': ['판매자 상품코드'],
  노출상품ID: ['노출상품ID'],
  업체상품코드: ['업체상품코드'],
  goods_no: ['goods_no'],
  Handle: ['Handle', 'URL handle'],
  SKU: ['SKU', 'Variant SKU', 'Lineitem sku'],
  product_id: ['product_id'],
};

/** The key that a column holds; undefined if the column is unknown. */
function productKeyOf(column: string): string | undefined {
  const compared = comparisonKey(column);
  const named = ([, columns]: readonly [string, readonly string[]]) =>
    columns.some((name) => comparisonKey(name) === compared);
  return Object.entries(productKeys).find(named)?.[0];
}

/** The columns that hold a key. An unknown key is itself the name of a column. */
function columnsOfKey(key: string): readonly string[] {
  return productKeys[productKeyOf(key) ?? ''] ?? [key];
}

/** The bound field that identifies products. */
interface ProductId {
  readonly path: string;
  /** Names of its columns in the file. */
  readonly columns: readonly string[];
  /** Product keys that these columns hold. */
  readonly keys: readonly string[];
}

/** Finds the field that identifies products. */
export function productIdOf(bound: readonly Column[], { header }: FileHeader): ProductId | undefined {
  const id = bound.find(({ field }) => field.isProductKey);
  if (id === undefined) return undefined;
  const columns = id.indexes.flatMap((index) => header[index] ?? []);
  const keys = new Set(columns.flatMap((column) => productKeyOf(column) ?? []));
  return { path: id.field.path, columns, keys: [...keys] };
}

/**
 * Returns the column with the shop's product key, which overrides the names of the export. If it is missing, a choice
 * would not help: all columns hold other keys and will be reported as such.
 */
export function preferKey(productKey: string | undefined, columns: Columns, known: FoundSource | undefined) {
  if (productKey === undefined) return known;
  const keyed = columns.sourceNamed(columnsOfKey(productKey), 'product-key');
  if (keyed !== undefined || known === undefined || !('choice' in known)) return keyed ?? known;
  const [name = ''] = known.choice;
  return { source: { kind: 'column', name }, origin: 'preset' } as const;
}

/** The flag with which a file with another product key than the shop's can be read. */
export interface KeyRemedy {
  readonly flag: '--map' | '-c product-key';
  readonly value: string;
}

/** The problem of a file with another product key than the shop's, and the flag that resolves it for this file. */
export function otherKeyProblem(
  productKey: string | undefined,
  id: ProductId | undefined,
  { header, headerLine: line }: FileHeader,
) {
  if (productKey === undefined || id === undefined) return undefined;
  const kept = productKeyOf(productKey) ?? productKey;
  const isKept = (column: string) => holdsKey(column, productKey);
  const [column] = id.columns;
  if (column === undefined || id.columns.some(isKept)) return undefined;
  const keyed = header.find(isKept);
  // A column of unknown meaning may hold the key under another name, but not if the key has a column of its own.
  const isOther = keyed !== undefined && comparisonKey(column) !== comparisonKey(id.path);
  const other = id.keys[0] ?? (isOther ? column : undefined);
  if (other === undefined) return undefined;
  const flag: KeyRemedy =
    keyed === undefined
      ? { flag: '-c product-key', value: other }
      : { flag: '--map', value: `${id.path}=${keyed}` };
  const reason = `${id.path} comes from ${id.columns.join(' and ')}, but this shop identifies its products by ${kept}`;
  const lines = [
    keyed === undefined
      ? `the file has no column with ${kept}: export it with one;`
      : `use the column that holds it: --map ${shellWord(flag.value)};`,
    `if only this file uses ${other}, add -c product-key=${shellWord(other)};`,
    hint`if the whole shop does: ${reviewctl`config set product-key ${other}`}, then push its
      products and orders with it`,
  ];
  const choices = [flagWord(flag.flag, flag.value)];
  const remedy = joinHints(lines, '\n');
  const problem: Fault = { line, code: 'other-product-key', reason, remedy, choices };
  return { problem, remedy: flag };
}

function holdsKey(column: string, productKey: string): boolean {
  const compared = comparisonKey(column);
  return columnsOfKey(productKey).some((name) => comparisonKey(name) === compared);
}
