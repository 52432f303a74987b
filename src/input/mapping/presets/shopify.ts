import { hint, reviewctl } from '../../../base/hint.ts';
import type { Preset } from './preset.ts';

const productGroups = {
  advice: [
    'rows that continue a product (further variants and images, without Title) are not records of their own',
    "Shopify's orders identify products by SKU alone: if you push such orders, push the products " +
      'by SKU too, with -c product-key=SKU',
  ],
} as const;

/** Products are grouped by Handle; only the first row of an order is complete. */
export const shopify: Preset = [
  {
    holds: ['products'],
    signature: ['Handle', 'Title', 'Variant SKU'],
    columns: {
      originId: ['Handle', 'Variant SKU'],
      name: ['Title'],
      imageUrl: ['Image Src', 'Variant Image'],
    },
    groups: {
      by: 'Handle',
      lead: 'Title',
      images: ['Image Src', 'Image Position', 'Image Alt Text'],
    },
    ...productGroups,
  },
  {
    holds: ['products'],
    signature: ['URL handle', 'Title', 'SKU'],
    columns: {
      originId: ['URL handle', 'SKU'],
      name: ['Title'],
      imageUrl: ['Product image URL', 'Variant image URL'],
    },
    groups: {
      by: 'URL handle',
      lead: 'Title',
      images: ['Product image URL', 'Image position', 'Image alt text'],
    },
    ...productGroups,
  },
  {
    holds: ['orders', 'order-items'],
    signature: ['Name', 'Lineitem name', 'Lineitem sku'],
    columns: {
      orderOriginId: ['Name'],
      productOriginId: ['Lineitem sku'],
      status: ['Lineitem fulfillment status', 'Fulfillment Status'],
      paidPrice: ['Lineitem price'],
      'shipment.deliveredAt': ['Fulfilled at'],
      orderedAt: ['Created at', 'Paid at'],
      'buyer.name': ['Billing Name'],
      'buyer.phone': ['Billing Phone', 'Phone'],
      'buyer.email': ['Email'],
      'recipient.name': ['Shipping Name'],
      'recipient.phone': ['Shipping Phone'],
    },
    // Shopify's id of the order.
    misleading: ['Id'],
    proposals: { originId: '{Name}-{n}' },
    conventions: {
      statuses: {
        fulfilled: 'DELIVERED',
        pending: 'in-progress',
        partial: 'in-progress',
        unfulfilled: 'in-progress',
      },
    },
    advice: [
      'the lines of an order have no id here: {n} numbers them in the order of the file',
      hint`lines identify their product by Lineitem sku alone, so push the products by SKU too:
        ${reviewctl`products push FILE -c product-key=SKU`}`,
    ],
  },
];
