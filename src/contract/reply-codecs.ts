import * as z from 'zod';
import { isJsonObject, type Json } from '../base/json.ts';

/*
 * Replies are read leniently: any field may be null, missing, or of another type, and unknown fields are kept. What cannot
 * be read as the documented type is null, so a single odd value never breaks a run that does not need it.
 */

type Scalar = string | number | boolean;

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Whether JSON.parse may have read another number than was written: from 2^53 on, neighbours become one. */
function mayBeRounded(value: Scalar): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

type ExactTest = (value: unknown) => boolean;

const exactTests = new WeakMap<z.core.$ZodType, ExactTest>();

/** Registers the test by which a value is known to be what its codec would make of it. */
function withExactTest<T extends z.core.$ZodType>(codec: T, test: ExactTest): T {
  exactTests.set(codec, test);
  return codec;
}

/**
 * Whether decoding `value` would only copy it, since every field is as documented, null or missing. Replies nearly always
 * are, and telling so takes a fraction of the time of a copy.
 */
export function isExact(schema: z.core.$ZodType, value: unknown): boolean {
  let test = exactTests.get(schema);
  if (test === undefined) {
    test = exactTestOf(schema);
    exactTests.set(schema, test);
  }
  return test(value);
}

function exactTestOf(schema: z.core.$ZodType): ExactTest {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const inner = schema.unwrap();
    const absent = schema instanceof z.ZodOptional ? undefined : null;
    return (value) => value === absent || isExact(inner, value);
  }
  if (schema instanceof z.ZodArray) {
    const { element } = schema;
    return (value) => Array.isArray(value) && value.every((one) => isExact(element, one));
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape);
    return (value) => isJsonObject(value) && fields.every(([name, field]) => isExact(field, value[name]));
  }
  return () => false;
}

/**
 * A record's own id, the one field that is demanded. A rounded number would be the id of another record. An empty one is no reason not to show the record,
 * or others on its page; nothing can be asked of it (`isPathSegment`).
 */
export const identifier = withExactTest(
  z.codec(
    z.custom<string | number>(
      (value) => typeof value === 'string' || (typeof value === 'number' && !mayBeRounded(value)),
      {
        error: ({ input }) =>
          isScalar(input) && mayBeRounded(input)
            ? `the number ${String(input)} is too large to be read exactly, and rounded it may be another id`
            : 'expected an id',
      },
    ),
    z.string(),
    { decode: String, encode: (text) => text },
  ),
  (value) => typeof value === 'string',
);

/** A field with one value, read by `read` from whatever scalar stands there; null where it is none or cannot be read. */
function scalarField<T extends Scalar>(type: z.ZodType<T, T>, read: (written: Scalar) => T | null) {
  return withExactTest(
    z.codec(z.custom<Json>().optional(), type.nullish(), {
      decode: (value) => (value === undefined ? value : isScalar(value) ? read(value) : null),
      encode: (value) => value,
    }),
    (value) => value == null || (isScalar(value) && read(value) === value),
  );
}

export const text = scalarField(z.string(), (written) => (mayBeRounded(written) ? null : String(written)));

export const number = scalarField(z.number(), (written) => {
  if (typeof written === 'boolean' || (typeof written === 'string' && written.trim() === '')) return null;
  const parsed = Number(written);
  return Number.isFinite(parsed) ? parsed : null;
});

export const integer = scalarField(z.int(), (written) => {
  const parsed = typeof written === 'string' && written.trim() !== '' ? Number(written) : written;
  return typeof parsed === 'number' && Number.isSafeInteger(parsed) ? parsed : null;
});

export const boolean = scalarField(z.boolean(), (written) => {
  if (typeof written === 'boolean') return written;
  const word = String(written).toLowerCase();
  if (['true', '1', 'y'].includes(word)) return true;
  return ['false', '0', 'n'].includes(word) ? false : null;
});

const decimalText = /^-?\d+(?:\.\d+)?$/;

/**
 * An amount as an exact decimal in text (`6300`, `12.5`), read from a number or a string (API 2: paidPrice is a number
 * on input and a string in the response). Trailing zeros of the fraction are dropped, so equal amounts are equal text.
 */
export const decimal = scalarField(z.string().regex(decimalText), (written) => {
  const digits = String(written).trim();
  if (mayBeRounded(written) || !decimalText.test(digits)) return null;
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
});

/** An object of the reply: unknown fields kept; null, missing, or anything else, which is read as null. */
export function nested<T extends z.core.$ZodShape>(shape: T) {
  const object = z.looseObject(shape).nullish();
  return withExactTest(
    z.codec(z.custom<z.input<typeof object>>().optional(), object, {
      decode: (value) => (value === undefined || isJsonObject(value) ? value : null),
      encode: (value) => value,
    }),
    (value) => isExact(object, value),
  );
}

/** A list of objects inside a record; what is no object in it is left out, what is no list is read as null. */
export function listOf<T extends z.ZodObject>(element: T) {
  const list = z.array(element).nullish();
  return withExactTest(
    z.codec(z.custom<z.input<typeof list>>().optional(), list, {
      decode: (value) =>
        value === undefined ? value : Array.isArray(value) ? value.filter(isJsonObject) : null,
      encode: (value) => value,
    }),
    (value) => isExact(list, value),
  );
}
