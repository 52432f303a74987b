import { instantMs, isoIn, koreanZone, timeInWords } from '../../base/korean-time.ts';

/** Where times are shown: the zone of the setting `time-zone`. */
export interface TimeOptions {
  /** An offset such as `+09:00`. */
  readonly timeZone: string;
}

/**
 * An ISO-8601 date-time as people read it, everywhere in one form: `2019-08-24 23:15 +09:00`. Other text stays as it
 * is, and a time without a zone is Korean.
 */
export function shownTime(text: string, { timeZone }: TimeOptions = { timeZone: koreanZone }): string {
  const [, date = '', zone = koreanZone] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const time = instantMs(text);
  // A day that no month has would be read as one of the next.
  const isDay = date !== '' && !Number.isNaN(time) && isoIn(time, zone).startsWith(date);
  return isDay ? timeInWords(time, timeZone) : text;
}
