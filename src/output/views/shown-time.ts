import { instantMs, isoIn, koreanZone, timeInWords } from '../../base/korean-time.ts';

/** The time zone of shown times: the setting `time-zone`. */
export interface TimeOptions {
  /** An offset such as `+09:00`. */
  readonly timeZone: string;
}

/**
 * An ISO-8601 date-time in the one form that all output uses: `2019-08-24 23:15 +09:00`. Other text is unchanged; a
 * time without a zone is Korean.
 */
export function shownTime(text: string, { timeZone }: TimeOptions = { timeZone: koreanZone }): string {
  const [, date = '', zone = koreanZone] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const time = instantMs(text);
  // A day that its month does not have would be read as a day of the next month.
  const isDay = date !== '' && !Number.isNaN(time) && isoIn(time, zone).startsWith(date);
  return isDay ? timeInWords(time, timeZone) : text;
}
