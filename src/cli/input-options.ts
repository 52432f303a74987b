import type { InputOptions, Notice } from '../input/place.ts';
import type { Notices } from '../output/notices.ts';
import type { FlagValues } from './flags.ts';
import type { inputFlags } from './shared-flags.ts';

/** How to read the input, as the flags say. */
export function inputOptions(flags: FlagValues<typeof inputFlags>): InputOptions {
  const { map, set, timeZone, carrier, preset, format, encoding, delimiter, sheet, ...rest } = flags;
  const { headerRow, nullWord, imageBaseUrl } = rest;
  return {
    map,
    set,
    timeZone,
    carriers: carrier,
    ...(preset === undefined ? {} : { preset }),
    ...(format === undefined ? {} : { format }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(headerRow === undefined ? {} : { headerRow }),
    ...(nullWord === undefined ? {} : { nullWord }),
    ...(imageBaseUrl === undefined ? {} : { imageBaseUrl }),
  };
}

/** Tells what is worth knowing of the input. */
export function tellNotice({ isInfo, message, hint }: Notice, notices: Notices): void {
  if (isInfo) notices.info(message);
  else notices.warning(message, hint);
}
