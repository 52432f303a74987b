import type { ExportShape, Preset } from './preset.ts';

const orders: Omit<ExportShape, 'signature'> = {
  holds: ['orders', 'order-items'],
  columns: {
    orderOriginId: ['주문번호'],
    originId: ['상품주문번호'],
    productOriginId: ['상품번호', '판매자 상품코드'],
    status: ['주문상태', '상세주문상태'],
    selectedOptions: ['옵션정보'],
    paidPrice: ['최종 상품별 총 주문금액'],
    'shipment.companyCode': ['택배사'],
    'shipment.trackingNumber': ['송장번호'],
    'shipment.deliveredAt': ['배송완료일', '구매확정일자'],
    orderedAt: ['주문일시', '결제일'],
    memberOriginId: ['구매자ID'],
    'buyer.name': ['구매자명'],
    'buyer.phone': ['구매자연락처'],
    'recipient.name': ['수취인명'],
    'recipient.phone': ['수취인연락처1'],
  },
  conventions: { optionName: '옵션' },
};

/**
 * Shop owners choose the columns, so any of these may be missing. Other systems also have 상품주문번호 and 수취인명, but
 * not together with these headers. The last signature is that of the form for bulk dispatch.
 */
const orderSignatures: readonly (readonly string[])[] = [
  ['상품주문번호', '구매자명'],
  ['상품주문번호', '구매자ID'],
  ['상품주문번호', '구매자연락처'],
  ['상품주문번호', '수취인연락처1'],
  ['상품주문번호', '수취인명', '통합배송지'],
  ['상품주문번호', '배송방법', '택배사', '송장번호'],
];

/** An xlsx with a notice in the rows above the header. */
export const smartstore: Preset = [
  {
    holds: ['products'],
    signature: ['상품번호(스마트스토어)', '상품명'],
    columns: {
      originId: ['상품번호(스마트스토어)', '판매자상품코드'],
      name: ['상품명'],
      imageUrl: ['대표이미지 URL'],
    },
  },
  ...orderSignatures.map((signature) => ({ ...orders, signature })),
];
