import { instantMs } from '../../base/korean-time.ts';
import type { Assumptions } from '../../contract/assumptions.ts';

/** Decides whether a record belongs to a list. */
export type Filter<R> = (record: R) => boolean;

/** The filter of an optional parameter; undefined without it. */
export function when<R, V>(value: V | undefined, filter: (value: V) => Filter<R>): Filter<R> | undefined {
  return value === undefined ? undefined : filter(value);
}

/** Combines the given filters. */
export function allOf<R>(filters: readonly (Filter<R> | undefined)[]): Filter<R> {
  const given = filters.filter((filter) => filter !== undefined);
  return (record) => given.every((filter) => filter(record));
}

/** A filter by membership in a list parameter; an empty list matches nothing. */
export function isOneOf<R, V>(
  values: readonly V[] | undefined,
  fieldOf: (record: R) => V | undefined | null,
) {
  return when<R, readonly V[]>(values, (list) => {
    const wanted = new Set<unknown>(list);
    return (record) => wanted.has(fieldOf(record));
  });
}

/** Whether `whole` contains `part`, ignoring case and the composition of Hangul. */
export function containsText(whole: string | null | undefined, part: string): boolean {
  return plain(whole ?? '').includes(plain(part));
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** A filter by an ISO-8601 range (assumption `timeRangeEnd`); it excludes records without the time. */
export function inTimeRange<R>(
  start: string | undefined,
  end: string | undefined,
  { timeRangeEnd }: Assumptions,
  timeOf: (record: R) => string | null | undefined,
): Filter<R> | undefined {
  if (start === undefined && end === undefined) return undefined;
  const from = start === undefined ? Number.NEGATIVE_INFINITY : instantMs(start);
  const to = end === undefined ? Number.POSITIVE_INFINITY : instantMs(end);
  return (record) => {
    const time = timeOf(record);
    if (time == null) return false;
    const at = Date.parse(time);
    return at >= from && (timeRangeEnd === 'inclusive' ? at <= to : at < to);
  };
}
