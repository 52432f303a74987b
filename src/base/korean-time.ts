/** The zone of every time that is typed or received without one: shops and service are Korean. */
export const koreanZone = '+09:00';

/** The time of day of a date that ends a range, which includes its end. */
export const lastOfDay = '23:59:59.999';

/**
 * A date, or a date with a time (`2026-11-20`, `2026-11-20 09:30`), as ISO-8601 in `zone`; a date is the time of day
 * `ofDate` there. Other text, such as a time with its own zone, is returned as it is.
 */
export function zonedTime(text: string, zone = koreanZone, ofDate = '00:00:00'): string {
  const [, date, time = ofDate] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?$/.exec(text) ?? [];
  return date === undefined ? text : `${date}T${time}${zone}`;
}

/** Milliseconds since the epoch of an ISO-8601 date or date-time, Korean without a zone; NaN for other text. */
export function instantMs(text: string): number {
  return Date.parse(zonedTime(text));
}
