import { lazy } from '../../../base/lazy.ts';
import type { Field } from '../../records/field.ts';
import { comparisonKey } from '../../records/headers.ts';
import type { RecordKind, RecordKindName } from '../../records/record-kinds.ts';
import type { ColumnNames } from './preset.ts';

/*
 * Column names that mean a field in any export. If a file has several names of one entry, they may mean different
 * things. Dotted names are those of the service's records (API 2), as lists print them.
 */

type Columns = Readonly<Record<string, ColumnNames>>;

const productKeys = ['상품코드', '상품번호', '자체 상품코드', 'goods_no'] as const;

const products: Columns = {
  originId: [
    [...productKeys, 'Handle', 'URL handle', 'SKU', 'Variant SKU', 'product_id'],
    ['품번', '품목코드', '제품코드', '상품ID', '판매자상품코드'],
    '바코드',
  ],
  name: [
    ['상품명', '상품명_기본', '등록상품명', 'goods_name', 'Title'],
    ['제품명', '품명', '품목명', '상품이름', 'Product Name', 'Product'],
    '모델명',
  ],
  imageUrl: [
    [
      '이미지등록(상세)',
      '이미지등록(목록)',
      '이미지URL',
      'Image Src',
      'Product image URL',
      'Images',
      '대표이미지 URL',
    ],
    'image.url',
  ],
  categories: [['상품분류 번호', '카테고리 코드', 'category_code']],
  groupId: ['group.id'],
  groupName: ['그룹명'],
};

const categories: Columns = {
  originId: [
    ['분류번호', '분류 번호', '상품분류 번호', '카테고리 번호', '카테고리 코드', 'category_code'],
    '분류코드',
  ],
  name: [['분류명', '카테고리명', '카테고리 이름', 'category_name']],
  parentOriginId: [['상위 분류번호', '상위 카테고리 번호', '상위 카테고리 코드']],
  position: [['진열순서', '정렬순서']],
};

const items: Columns = {
  // In a file with an order number, InvoiceNo is something else, such as the number of a waybill.
  orderOriginId: [
    ['주문번호', '주문ID', '마켓주문번호', '원주문번호', 'order_id', 'orderNo'],
    'InvoiceNo',
    'order.originId',
    ['주문코드', '주문서번호', 'order_number'],
  ],
  originId: [
    ['품목별 주문번호', '품목주문번호', '상품주문번호', '주문상세번호', 'order_item_code', 'order_item_id'],
  ],
  productOriginId: [
    [...productKeys, '상품품목코드', '업체상품코드', '노출상품ID', 'Lineitem sku', 'product_id', 'SKU'],
    'product.originId',
  ],
  status: [['주문상태', '상세주문상태', '배송상태', 'Fulfillment Status']],
  selectedOptions: [['상품옵션', '옵션정보', '등록옵션명']],
  paidPrice: [
    ['품목별 결제금액', '상품구매금액(KRW)', '최종 상품별 총 주문금액', '결제액', 'Lineitem price'],
  ],
  'shipment.companyCode': [['택배사', '배송업체', '택배사코드']],
  'shipment.trackingNumber': [['송장번호', '운송장번호', '등기번호']],
  'shipment.deliveredAt': [['배송완료일', '구매확정일자', 'Fulfilled at']],
};

const orders: Columns = {
  ...items,
  orderedAt: [['주문일시', '주문일', '주문일자', '발주일', '결제일', 'Created at', 'Paid at']],
  memberOriginId: [
    ['회원아이디', '주문자ID', '주문자 아이디', '구매자ID', 'member_id'],
    ['회원ID', '아이디', '고객ID', '고객번호'],
  ],
  'buyer.name': [['주문자', '주문자명', '구매자', '구매자명', 'Billing Name']],
  'buyer.phone': [['주문자 휴대전화', '구매자연락처', '구매자전화번호', 'Billing Phone']],
  'buyer.email': [['주문자 이메일', '구매자이메일', 'Email']],
  'recipient.name': [['수령인', '수취인', '수취인명', '수취인이름', '받는분', '수하인명', 'Shipping Name']],
  'recipient.phone': [['수령인 휴대전화', '수취인연락처1', '수취인전화번호', '휴대폰번호', 'Shipping Phone']],
};

/** Columns that contain image URLs in some files, but file names or flags in others. */
export const maybeImages = ['대표이미지', '상품 이미지', '이미지', '썸네일', '사진'] as const;

export const neutralNames: Readonly<Record<RecordKindName, Columns>> = {
  products,
  categories,
  orders,
  'order-items': items,
};

/**
 * True if the name of a column means another field than `path`. It must not be proposed then, however similar the names
 * are: with `memberOriginId` for `orderOriginId`, all purchases of a member would become one order.
 */
export function meansOther(column: string, path: string, kind: RecordKind): boolean {
  const key = comparisonKey(column);
  const paths = pathsOf(kind).get(key);
  return paths === undefined ? keysAnywhere().has(key) : !paths.has(path);
}

/** True if the name of a column consists of two known names, as if the delimiter between them were lost. */
export function isTwoNames(column: string, kind: RecordKind): boolean {
  const key = comparisonKey(column).replaceAll('"', '');
  const known = pathsOf(kind);
  return (
    !known.has(key) &&
    [...known.keys()].some((name) => key.startsWith(name) && known.has(key.slice(name.length)))
  );
}

/** The paths of the fields that a column may mean, by the comparison key of its name. */
type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

const pathsOfFields = new WeakMap<readonly Field[], KnownPaths>();

/** Cached by fields, because every cell of a file's first rows is looked up. */
function pathsOf({ name, fields }: RecordKind): KnownPaths {
  const made = pathsOfFields.get(fields);
  if (made !== undefined) return made;
  const paths = new Map<string, Set<string>>();
  const add = (column: string, path: string) => {
    const key = comparisonKey(column);
    paths.set(key, (paths.get(key) ?? new Set()).add(path));
  };
  for (const { path, isServiceId } of fields) if (!isServiceId) add(path, path);
  for (const [path, columns] of Object.entries(neutralNames[name])) {
    for (const column of columns.flat()) add(column, path);
  }
  pathsOfFields.set(fields, paths);
  return paths;
}

/** The known column names of all kinds of records. */
const keysAnywhere = lazy(
  () =>
    new Set(Object.values(neutralNames).flatMap((names) => Object.values(names).flat(2).map(comparisonKey))),
);
