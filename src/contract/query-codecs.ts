import * as z from 'zod';
import { firstDefault, firstMaximum, ratingMaximum, ratingMinimum } from './limits.ts';

/*
 * Query parameters as two-way codecs: text on the wire, a typed value inside. The client encodes, the sandbox decodes.
 */

export const textParameter = z.string();

const integerBetween = (minimum: number, maximum: number) => {
  const range = `expected ${minimum} to ${maximum}`;
  return z.codec(
    z.string().regex(/^-?\d+$/, 'expected an integer'),
    z.int().min(minimum, range).max(maximum, range),
    { decode: Number, encode: String },
  );
};

export const ratingParameter = integerBetween(ratingMinimum, ratingMaximum);

export const booleanParameter = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: (text) => text === 'true',
  encode: (value) => (value ? 'true' : 'false'),
});

/** Format of times in schemas. It is wider than `date-time`: seconds or the whole time may be missing. */
const isoTime = 'iso-8601';

const iso8601 = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Also checks the day, because Date.parse reads 2026-02-30 as a day in March. */
function isTime(text: string): boolean {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  const atNoonMs = Date.parse(`${day}T12:00Z`);
  return (
    iso8601.test(text) && !Number.isNaN(Date.parse(text)) && new Date(atNoonMs).toISOString().startsWith(day)
  );
}

/** ISO-8601, kept as text, so that the service receives the user's notation. */
export const timeParameter = z
  .string()
  .refine(isTime, { message: 'expected an ISO-8601 date-time' })
  .meta({ format: isoTime, pattern: iso8601.source });

/** A list; its notation is the assumption `arrayQuery`. */
export const listParameter = <T extends z.ZodType>(element: T) => z.array(element).optional();

/** Page parameters of every list operation (API 4). */
export const pageParameters = {
  first: integerBetween(1, firstMaximum).optional().default(firstDefault),
  after: textParameter.optional(),
};

/** Names of the parameters that hold lists. */
export function arrayNames(schema: z.ZodObject): ReadonlySet<string> {
  const isArray = (field: z.core.$ZodType) =>
    (field instanceof z.ZodOptional ? field.unwrap() : field) instanceof z.ZodArray;
  return new Set(Object.keys(schema.shape).filter((name) => isArray(schema.shape[name])));
}
