import type { Json } from '../../base/json.ts';
import { type Refusal, refuse } from '../records/cell.ts';
import type { DateOrder } from '../records/options.ts';

/** A year outside this range is an error, such as `0026-09-30` or a number that is not a date. */
const firstYear = 1970;
const lastYear = 2199;

/** `2026-09-30`; in Korean spreadsheets also `2026. 9. 30.` and `2026년 9월 30일`. */
const date = String.raw`^(\d{4})([-/]|\. ?|년 ?)(\d{1,2})(?:\2|월 ?)(\d{1,2})[.일]?`;
const clock = String.raw`(?:(오전|오후) )?(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(?:\s*([AP])M)?`;
const zoned = String.raw`\s*(Z|[+-]\d{2}(?::?\d{2})?)?`;
const parted = new RegExp(`${date}(?:(?:T|\\s+)${clock}${zoned})?$`, 'i');
/** Year last: `24.11.2026`, `24/11/2026 14:36:00`, `11/24/2026, 2:36 PM`. */
const yearAtEnd =
  /^(\d{1,2})([-./])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([AP])M)?)?$/i;
const digitsOnly = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?$/;
/** Excel's days since 1899-12-30; five digits, so from 1954 on. `dateTime` checks the years. */
const excelSerial = /^[2-9]\d{4}(?:\.\d+)?$/;

/**
 * Parses a date-time and returns it as ISO-8601 with an offset: `timeZone` (`+09:00`) if it has none, midnight if it
 * has no time. Accepts `2026-09-30 14:36`, also with seconds, `T`, PM, a zone, or `.` and `/` as separators,
 * `2026. 9. 30. 오후 2:36`, `20260930`, `20260930143600` and Excel's serial numbers (`46196.98`, local time). Refuses
 * dates without a year (`1-19`, `24-Oct`), dates that do not exist (`2026-02-30`), and, unless `order` says which part
 * is the day, dates with the year last (`30.09.2026`).
 */
export function readDateTime(cell: Json, timeZone: string, order: DateOrder = 'ymd'): string | Refusal {
  if (typeof cell !== 'string') return notADate;
  const written = cell.trim().normalize('NFC');
  const whole = parted.exec(written);
  if (whole) {
    const [, year, , month, day, before, hour, minute, second, fraction, after, zone] = whole;
    // `09:00-12` is a period. PostgreSQL, which writes a zone as bare hours, writes seconds before it.
    const isPeriod = second === undefined && zone?.length === '+09'.length;
    if (isPeriod || (before !== undefined && after !== undefined)) return notADate;
    return dateTime(
      [year, month, day, hourOf(before ?? after, hour), minute, second],
      fraction,
      zone ?? timeZone,
    );
  }
  const packed = digitsOnly.exec(written);
  if (packed) return dateTime(packed.slice(1), undefined, timeZone);
  if (excelSerial.test(written)) return readDateTime(wallClockOf(Number(written)), timeZone);
  const reversed = yearAtEnd.exec(written);
  if (reversed) {
    if (order === 'ymd') return yearLast;
    const [, first, , second, year, hour, minute, seconds, half] = reversed;
    const [day, month] = order === 'dmy' ? [first, second] : [second, first];
    return dateTime([year, month, day, hourOf(half, hour), minute, seconds], undefined, timeZone);
  }
  return shortened.test(written) ? yearLost : notADate;
}

/** A date that Excel shortened, or made of a code: `1-19`, `24-Oct`, `10월 24일`. */
const shortened = /^(?:\d{1,2}[-/](?:\d{1,2}|[A-Za-z]{3})|[A-Za-z]{3}-\d{1,2}|\d{1,2}월 ?\d{1,2}일)$/;

/** The hour on the 24-hour clock. An impossible one such as 오후 13 becomes 99, which is refused. */
function hourOf(half: string | undefined, hour: string | undefined): string | undefined {
  if (half === undefined || hour === undefined) return hour;
  const ofHalf = Number(hour);
  if (ofHalf < 1 || ofHalf > 12) return '99';
  return String((ofHalf % 12) + (/오후|p/i.test(half) ? 12 : 0));
}

function dateTime(
  written: readonly (string | undefined)[],
  fraction: string | undefined,
  zone: string,
): string | Refusal {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = written.map((part) =>
    Number(part ?? 0),
  );
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  const exists = isDay && hour < 24 && minute < 60 && second < 60;
  const offset = offsetOf(zone);
  if (!exists || year < firstYear || year > lastYear || offset === undefined) return noSuchTime;
  const clock = `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}`;
  return `${year}-${twoDigits(month)}-${twoDigits(day)}T${clock}${fraction ?? ''}${offset}`;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function twoDigits(part: number): string {
  return part < 10 ? `0${part}` : `${part}`;
}

/** Returns `Z` or `±hh:mm`; undefined if the text is not an offset or the offset does not exist. */
function offsetOf(zone: string): string | undefined {
  if (zone.toUpperCase() === 'Z') return 'Z';
  const [, hours, minutes = '00'] = /^([+-](?:0\d|1[0-4]))(?::?([0-5]\d))?$/.exec(zone) ?? [];
  return hours === undefined ? undefined : `${hours}:${minutes}`;
}

function wallClockOf(serial: number): string {
  const seconds = Math.round((serial - 25_569) * 86_400);
  return new Date(seconds * 1000).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
}

const writeWholeDate = 'write it as 2026-09-30 14:36, or with its zone as 2026-09-30T14:36:00+09:00';
const notADate = refuse('not-a-date', 'this is not a date with year, month and day', writeWholeDate);
const yearLast = refuse(
  'year-last',
  'with the year at the end, the order of day and month is ambiguous',
  `${writeWholeDate}; if the whole file is like this, say which comes first: -c date-order=dmy or -c date-order=mdy`,
);
const noSuchTime = refuse(
  'no-such-time',
  `this date or time does not exist between ${firstYear} and ${lastYear}`,
  writeWholeDate,
);
const yearLost = refuse(
  'date-shortened',
  'Excel has shortened this date: the year is lost',
  'in Excel, format the column as yyyy-mm-dd hh:mm before saving as CSV, or export the file again',
);
