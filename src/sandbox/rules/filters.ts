import { instantMs } from '../../base/korean-time.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { Condition } from '../state/listings.ts';
import { timestamp } from '../state/request-context.ts';

/*
 * The filters of lists. Each is a condition on a value in SQL, and undefined without the query parameter.
 */

/** The SQL of a field of the record. */
export function field(name: string): string {
  return `document ->> '${name}'`;
}

export function equals(value: string, wanted: string | boolean | undefined): Condition | undefined {
  if (wanted === undefined) return undefined;
  return { sql: `${value} = ?`, values: [typeof wanted === 'boolean' ? Number(wanted) : wanted] };
}

/** Membership in a list; an empty list matches nothing. */
export function isOneOf(
  value: string,
  wanted: readonly (string | number)[] | undefined,
): Condition | undefined {
  if (wanted === undefined) return undefined;
  return { sql: `${value} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] };
}

/** Whether the value contains the text, ignoring case and the composition of Hangul. */
export function containsText(value: string, part: string | undefined): Condition | undefined {
  return part === undefined ? undefined : { sql: `instr(plain(${value}), plain(?))`, values: [part] };
}

/** An ISO-8601 range of a timestamp (assumption `timeRangeEnd`); it excludes records without the time. */
export function inTimeRange(
  value: string,
  start: string | undefined,
  end: string | undefined,
  { timeRangeEnd }: Assumptions,
): Condition | undefined {
  if (start === undefined && end === undefined) return undefined;
  // Timestamps are whole seconds, so a start, and an end that is excluded, are rounded up.
  const roundUp = (time: string) => timestamp(instantMs(time) + 999);
  const from = start === undefined ? '' : roundUp(start);
  if (end === undefined) return { sql: `${value} >= ?`, values: [from] };
  return timeRangeEnd === 'inclusive'
    ? { sql: `${value} BETWEEN ? AND ?`, values: [from, timestamp(instantMs(end))] }
    : { sql: `${value} >= ? AND ${value} < ?`, values: [from, roundUp(end)] };
}

/** Either of two conditions. */
export function either(one: Condition | undefined, other: Condition | undefined): Condition | undefined {
  return one && other && { sql: `${one.sql} OR ${other.sql}`, values: [...one.values, ...other.values] };
}
