import { comparisonKey } from '../../records/headers.ts';

/*
 * The keys by which shop systems identify products. Files of products and of orders have the same key under different
 * names. If a shop is pushed with two keys, it gets every product twice, or orders of unknown products.
 */

/** The columns that hold each key, in any file. */
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

/** The key that a column holds; undefined for an unknown column. */
export function productKeyOf(column: string): string | undefined {
  const compared = comparisonKey(column);
  const named = ([, columns]: readonly [string, readonly string[]]) =>
    columns.some((name) => comparisonKey(name) === compared);
  return Object.entries(productKeys).find(named)?.[0];
}

/** The columns that hold a key; an unknown key is itself the name of a column. */
export function columnsOfKey(key: string): readonly string[] {
  return productKeys[productKeyOf(key) ?? ''] ?? [key];
}
