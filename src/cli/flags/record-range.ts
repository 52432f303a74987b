import * as z from 'zod';
import { textOrNumber } from './flags.ts';

/** The expected number of records of an input, both ends included. */
interface RecordRange {
  readonly least: number;
  readonly most: number;
}

const range = /^(?:(\d+)|(\d+)?\.\.(\d+)?)$/;

/** `150`, `100..200`, `100..` or `..200`. */
export const recordRangeValue = () =>
  textOrNumber().transform((text, context): RecordRange => {
    const [, exact, least, most] = range.exec(text) ?? [];
    const read = {
      least: Number(exact ?? least ?? 0),
      most: Number(exact ?? most ?? Number.POSITIVE_INFINITY),
    };
    const says = exact !== undefined || least !== undefined || most !== undefined;
    if (says && read.least <= read.most) return read;
    context.addIssue('expected a number of records or a range, such as 100..200, 100.. or ..200');
    return z.NEVER;
  });

export function isWithin({ least, most }: RecordRange, count: number): boolean {
  return least <= count && count <= most;
}

/** The range as part of a sentence: `100 to 200`. */
export function rangeInWords({ least, most }: RecordRange): string {
  if (least === most) return `${least}`;
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`;
  return least === 0 ? `at most ${most}` : `${least} to ${most}`;
}
