import type { Preset } from './preset.ts';

/** The product export, in which variations are separate rows and categories are paths. */
export const woocommerce: Preset = [
  {
    holds: ['products'],
    signature: ['Type', 'SKU', 'Visibility in catalog'],
    columns: {
      originId: ['SKU'],
      name: ['Name'],
      imageUrl: ['Images'],
      categories: ['Categories'],
    },
    conventions: { hasCategoryPaths: true },
    advice: [
      'variations are separate products, identified by their SKU; if products have none, use the ' +
        "id: --map 'originId={SKU|ID}'",
      'categories are identified by their whole path (Tops > Knit): push them with these ' +
        'originIds first, or omit them with --set categories=',
    ],
  },
];
