import * as z from 'zod';
import { lazy } from '../base/lazy.ts';

/*
 * The forms in which services write single values, and lists print them. Patterns have no flags, because JSON Schema
 * cannot express them. The ids name the definitions of the JSON Schema. Each form is built on first use, because few
 * commands need it.
 */

/** A number that JSON.parse reads exactly. */
const exactNumber = lazy(() => z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER));

const numberText = lazy(() => z.string().regex(/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/));
const integerText = lazy(() => z.string().regex(/^\s*[-+]?\d+(?:\.0*)?(?:[eE]\+?\d+)?\s*$/));
const decimalText = lazy(() => z.string().regex(/^\s*-?\d+(?:\.\d+)?\s*$/));
const booleanText = lazy(() => z.string().regex(/^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[YyNn01])$/));

/** A field with one value in one of these forms; it may be null or missing. */
function field<T extends z.core.SomeType>(id: string, description: string, forms: readonly T[]) {
  return z
    .union([...forms, z.null()])
    .meta({ id, description })
    .optional();
}

export const writtenIdentifier = lazy(() =>
  z
    .union([z.string(), exactNumber()])
    .meta({ id: 'id', description: 'the id of the record; some services write it as a number' }),
);
export const writtenText = lazy(() =>
  field('text', 'a text; some services write digits as a number', [z.string(), exactNumber(), z.boolean()]),
);
export const writtenNumber = lazy(() =>
  field('number', 'a number; some services write it as text', [z.number(), numberText()]),
);
export const writtenInteger = lazy(() =>
  field('integer', 'a whole number; some services write it as text', [z.int(), integerText()]),
);
export const writtenBoolean = lazy(() =>
  field('boolean', 'true or false; some services write it as text or digit', [
    z.boolean(),
    z.literal([0, 1]),
    booleanText(),
  ]),
);
export const writtenDecimal = lazy(() =>
  field('decimal', 'an amount, as a number or as the same digits in text', [exactNumber(), decimalText()]),
);
