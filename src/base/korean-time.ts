/** The time zone of times typed or received without one: shops and service are Korean. */
export const koreanZone = '+09:00';

/** The time of a date that ends a range, which includes that day. */
export const lastOfDay = '23:59:59.999';

/**
 * Converts a date, or a date with a time (`2026-11-20`, `2026-11-20 09:30`), to ISO-8601 with seconds in `zone`. A date
 * without a time gets the time `ofDate`. Other text, such as a time with its own zone, is returned unchanged.
 */
export function zonedTime(text: string, zone = koreanZone, ofDate = '00:00:00'): string {
  const [, date, minutes, seconds = ':00'] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?)?$/.exec(text) ?? [];
  return date === undefined ? text : `${date}T${minutes === undefined ? ofDate : minutes + seconds}${zone}`;
}

/** Milliseconds since the epoch of an ISO-8601 date or date-time, in Korean time without a zone; NaN for other text. */
export function instantMs(text: string): number {
  return Date.parse(zonedTime(text));
}

const minuteMs = 60_000;

/** An instant for people: `2019-08-24 23:15 +09:00`. */
export function timeInWords(ms: number, zone = koreanZone): string {
  const [date = '', time = ''] = isoIn(ms, zone).split('T');
  return `${date} ${time.slice(0, 'HH:MM'.length)} ${zone}`;
}

/** The ISO-8601 date and time of an instant in a zone such as `+09:00`, without the zone itself. */
export function isoIn(ms: number, zone: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs;
  const shifted = new Date(sign === '-' ? ms - offsetMs : ms + offsetMs);
  // Beyond the range of JavaScript dates the offset is not applied.
  return (Number.isNaN(shifted.getTime()) ? new Date(ms) : shifted).toISOString().slice(0, -1);
}
