import { comparisonKey } from '../../records/headers.ts';

/*
 * What shop systems know a product by. Files of products and of orders hold one key under different names; two keys of one
 * product are different texts, so a shop that is pushed by both has every product twice, or orders of products it does not have.
 */

/** The columns that hold each key, whatever the file holds besides. */
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

/** The key that a column holds; undefined for a column of which it is not known. */
export function productKeyOf(column: string): string | undefined {
  const compared = comparisonKey(column);
  const named = ([, columns]: readonly [string, readonly string[]]) =>
    columns.some((name) => comparisonKey(name) === compared);
  return Object.entries(productKeys).find(named)?.[0];
}

/** The columns that hold a key; one that is not known is a column itself. */
export function columnsOfKey(key: string): readonly string[] {
  return productKeys[productKeyOf(key) ?? ''] ?? [key];
}
