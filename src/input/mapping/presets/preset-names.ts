/** The values of `--preset`. A separate file, so that the flags do not load the presets. */
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
