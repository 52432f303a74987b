import type { Preset } from './preset.ts';

/** One row per item, without an item id. Options are written without names. */
export const coupang: Preset = [
  {
    holds: ['products'],
    signature: ['노출상품ID', '등록상품명'],
    columns: {
      originId: [['노출상품ID', '업체상품코드']],
      name: ['등록상품명'],
    },
  },
  {
    holds: ['orders', 'order-items'],
    signature: ['묶음배송번호', '주문번호', '등록옵션명'],
    columns: {
      orderOriginId: ['주문번호'],
      productOriginId: [['노출상품ID', '업체상품코드']],
      selectedOptions: ['등록옵션명'],
      paidPrice: ['결제액'],
      'shipment.companyCode': ['택배사'],
      'shipment.trackingNumber': ['운송장번호'],
      'shipment.deliveredAt': ['배송완료일', '구매확정일자'],
      orderedAt: ['주문일'],
      'buyer.name': ['구매자'],
      'buyer.phone': ['구매자전화번호'],
      'recipient.name': ['수취인이름'],
      'recipient.phone': ['수취인전화번호'],
    },
    proposals: { originId: '{주문번호}-{n}' },
    conventions: { optionName: '옵션' },
    advice: [
      'the lines of an order have no id here: {n} numbers them in the order of the file, so ' +
        'always export the same orders in the same order',
      '노출상품ID and 업체상품코드 are different keys: the one that the first push uses is kept as ' +
        'product-key for products and orders',
    ],
  },
];
