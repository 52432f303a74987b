import * as z from 'zod';
import { Failure } from '../../base/failure.ts';
import { type FlagValues, groupFlags, valueFlag } from './flags.ts';

const month = () => z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'expected a month such as 2026-11');
const day = () =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day such as 2026-11-20')
    .refine((text) => isDay(text), 'is not a day of the calendar');

/** Flags of commands about a period of Korean days. */
export const periodFlags = groupFlags('Period', {
  month: valueFlag(month, 'YYYY-MM', 'only this month, by Korean days'),
  from: valueFlag(day, 'DAY', 'from this Korean day on, such as 2026-11-01'),
  to: valueFlag(day, 'DAY', 'until the end of this Korean day'),
});

/** Days as `2026-11-20`, both included; undefined leaves the period open. */
export interface Period {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** @throws Failure('usage') for a month together with days, and for a period that ends before it starts. */
export function readPeriod({ month, from, to }: FlagValues<typeof periodFlags>): Period {
  if (month !== undefined && (from !== undefined || to !== undefined)) {
    throw new Failure('usage', '--month excludes --from and --to', 'give either the month or the days');
  }
  if (month !== undefined) return { from: `${month}-01`, to: lastDayOf(month) };
  if (from !== undefined && to !== undefined && to < from) {
    throw new Failure('usage', `--to ${to} is before --from ${from}`, 'exchange the two days');
  }
  return { from, to };
}

/** True if a day, as `2026-11-20`, is in the period. */
export function isInPeriod(day: string, { from, to }: Period): boolean {
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}

function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year, number, 0);
  return `${month}-${String(last.getUTCDate()).padStart(2, '0')}`;
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
