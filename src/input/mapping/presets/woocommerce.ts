import type { Preset } from './preset.ts';

/** The product export: variations are rows of their own, categories are paths. */
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
      "variations are products of their own, known by their SKU; where products have none, use the id: --map 'originId={SKU|ID}'",
      'categories are known by their whole path (Tops > Knit): push them under these originIds first, or leave them out with --set categories=',
    ],
  },
];
