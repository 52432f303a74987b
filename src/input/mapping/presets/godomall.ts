import type { Preset } from './preset.ts';

/** Three header rows: labels, keys (used as the header), and instructions for filling in the cells. */
export const godomall: Preset = [
  {
    holds: ['products'],
    signature: ['goods_no', 'goods_name', 'category_code'],
    columns: {
      originId: ['goods_no'],
      name: ['goods_name'],
      imageUrl: ['image_detail', 'image_main', 'image_list'],
      categories: ['category_code'],
    },
    guide: { labelsAbove: ['상품번호'], rowsBelow: 1 },
    imageBaseUrl: 'https://YOUR-SHOP.godomall.com/data/goods/',
  },
  {
    holds: ['orders', 'order-items'],
    signature: ['order_no', 'goods_no'],
    columns: {
      orderOriginId: ['order_no'],
      originId: ['order_goods_no', 'order_item_code'],
      productOriginId: ['goods_no'],
      status: ['order_status'],
      selectedOptions: ['option_info'],
      paidPrice: ['settle_price', 'goods_price'],
      'shipment.companyCode': ['invoice_company'],
      'shipment.trackingNumber': ['invoice_no'],
      'shipment.deliveredAt': ['delivery_complete_date'],
      orderedAt: ['order_date'],
      memberOriginId: ['member_id'],
      'buyer.name': ['order_name'],
      'buyer.phone': ['order_cell_phone'],
      'buyer.email': ['order_email'],
      'recipient.name': ['receiver_name'],
      'recipient.phone': ['receiver_cell_phone'],
    },
    proposals: { originId: '{order_no}-{n}' },
    guide: { labelsAbove: ['주문번호'], rowsBelow: 1 },
    conventions: { optionName: '옵션' },
  },
];
