import { instantMs } from '../../base/korean-time.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { Condition } from '../state/listings.ts';
import { timestamp } from '../state/request-context.ts';

/* The filters of lists. Each is an SQL condition on a value; undefined without the query parameter. */

/** SQL expression of a record's field. */
export function field(name: string): string {
  return `document ->> '${name}'`;
}

export function equals(value: string, wanted: string | boolean | undefined): Condition | undefined {
  if (wanted === undefined) return undefined;
  return { sql: `${value} = ?`, values: [typeof wanted === 'boolean' ? Number(wanted) : wanted] };
}

/** The value is in a list. An empty list matches nothing. */
export function isOneOf(
  value: string,
  wanted: readonly (string | number)[] | undefined,
): Condition | undefined {
  if (wanted === undefined) return undefined;
  return { sql: `${value} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] };
}

/** The value contains the text, ignoring case and the composition of Hangul. */
export function containsText(value: string, part: string | undefined): Condition | undefined {
  return part === undefined ? undefined : { sql: `instr(plain(${value}), plain(?))`, values: [part] };
}

/** The timestamp is in an ISO-8601 range (assumption `timeRangeEnd`). Records without the time do not match. */
export function inTimeRange(
  value: string,
  start: string | undefined,
  end: string | undefined,
  { timeRangeEnd }: Assumptions,
): Condition | undefined {
  if (start === undefined && end === undefined) return undefined;
  // Timestamps are whole seconds, so a start and an exclusive end are rounded up.
  const roundUp = (time: string) => timestamp(instantMs(time) + 999);
  const from = start === undefined ? '' : roundUp(start);
  if (end === undefined) return { sql: `${value} >= ?`, values: [from] };
  return timeRangeEnd === 'inclusive'
    ? { sql: `${value} BETWEEN ? AND ?`, values: [from, timestamp(instantMs(end))] }
    : { sql: `${value} >= ? AND ${value} < ?`, values: [from, roundUp(end)] };
}

/** At least one of two conditions is met. */
export function either(one: Condition | undefined, other: Condition | undefined): Condition | undefined {
  return one && other && { sql: `${one.sql} OR ${other.sql}`, values: [...one.values, ...other.values] };
}
