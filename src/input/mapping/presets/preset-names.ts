/** What `--preset` takes; apart from the presets themselves, which only reading a file needs. */
export const presetNames = [
  'cafe24',
  'smartstore',
  'coupang',
  'shopify',
  'woocommerce',
  'godomall',
  'none',
] as const;

export type PresetName = Exclude<(typeof presetNames)[number], 'none'>;
