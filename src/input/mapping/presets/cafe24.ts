import type { Preset } from './preset.ts';

const sameKey =
  '상품코드 (P00000JT) and 상품번호 (a number) are different keys: the one that the first push uses is ' +
  'kept as product-key for products and orders';

/** Every code from `prefix`0 to `prefix`9. */
function codes<S extends string>(prefix: string, status: S): Readonly<Record<string, S>> {
  return Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`${prefix}${digit}`, status]));
}

/**
 * UTF-8 with every value quoted: products with byte-order mark and LF, orders without byte-order mark and with CR LF.
 */
export const cafe24: Preset = [
  {
    holds: ['products'],
    signature: ['상품코드', '자체 상품코드', '진열상태'],
    columns: {
      originId: [['상품코드', '상품번호'], '자체 상품코드'],
      name: ['상품명', '상품명_기본'],
      imageUrl: ['이미지등록(상세)', '이미지등록(목록)'],
      categories: ['상품분류 번호'],
    },
    imageBaseUrl: 'https://YOUR-SHOP.cafe24.com/web/product/big/',
    advice: [sameKey],
  },
  {
    holds: ['orders', 'order-items'],
    signature: ['주문번호', '품목별 주문번호'],
    columns: {
      orderOriginId: ['주문번호'],
      originId: ['품목별 주문번호'],
      productOriginId: [['상품코드', '상품번호'], '자체 상품코드', '상품품목코드'],
      status: ['주문상태', '주문 상태', '배송상태'],
      selectedOptions: ['상품옵션'],
      paidPrice: ['품목별 결제금액', '상품구매금액(KRW)'],
      'shipment.companyCode': ['배송업체', '택배사'],
      'shipment.trackingNumber': ['운송장번호', '송장번호'],
      'shipment.deliveredAt': ['배송완료일', '구매확정일자'],
      orderedAt: ['주문일시', '주문일', '주문일자'],
      memberOriginId: ['주문자ID', '주문자 아이디', '회원아이디'],
      'buyer.name': ['주문자명', '주문자'],
      'buyer.phone': ['주문자 휴대전화'],
      'buyer.email': ['주문자 이메일'],
      'recipient.name': ['수령인'],
      'recipient.phone': ['수령인 휴대전화'],
    },
    conventions: {
      statuses: {
        N40: 'DELIVERED',
        N50: 'DELIVERED',
        ...codes('C4', 'CANCEL'),
        ...codes('R4', 'RETURN'),
        ...codes('E4', 'EXCHANGE'),
        ...codes('N0', 'in-progress'),
        ...codes('N1', 'in-progress'),
        ...codes('N2', 'in-progress'),
        ...codes('N3', 'in-progress'),
      },
      carriers: ['0006=04'],
    },
    advice: [sameKey],
  },
];
