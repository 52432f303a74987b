import * as z from 'zod';
import { isJsonObject } from '../base/json.ts';

/*
 * Replies are read leniently: any field may be null, missing, or of another scalar type, and unknown fields are kept.
 * What cannot be read as the documented type is null, so a single odd value never breaks a run that does not need it.
 */

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

const scalar = z.custom<string | number | boolean | null>(isScalar, 'expected a single value').optional();

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

export const identifier = withExactTest(
  z.codec(z.union([z.string().min(1), z.number()]), z.string(), {
    decode: String,
    encode: (text) => text,
  }),
  (value) => typeof value === 'string' && value !== '',
);

export const text = withExactTest(
  z.codec(scalar, z.string().nullish(), {
    decode: (value) => (value == null ? value : String(value)),
    encode: (value) => value,
  }),
  (value) => value == null || typeof value === 'string',
);

export const number = withExactTest(
  z.codec(scalar, z.number().nullish(), {
    decode: (value) => {
      if (value == null) return value;
      if (typeof value === 'boolean' || (typeof value === 'string' && value.trim() === '')) return null;
      const parsed = Number(value);
      return Number.isFinite(parsed) ? parsed : null;
    },
    encode: (value) => value,
  }),
  (value) => value == null || Number.isFinite(value),
);

export const integer = withExactTest(
  z.codec(scalar, z.int().nullish(), {
    decode: (value) => {
      if (value == null) return value;
      const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof parsed === 'number' && Number.isSafeInteger(parsed) ? parsed : null;
    },
    encode: (value) => value,
  }),
  (value) => value == null || Number.isSafeInteger(value),
);

export const boolean = withExactTest(
  z.codec(scalar, z.boolean().nullish(), {
    decode: (value) => {
      if (value == null || typeof value === 'boolean') return value;
      const word = String(value).toLowerCase();
      if (['true', '1', 'y'].includes(word)) return true;
      return ['false', '0', 'n'].includes(word) ? false : null;
    },
    encode: (value) => value,
  }),
  (value) => value == null || typeof value === 'boolean',
);

const decimalText = /^-?\d+(?:\.\d+)?$/;

function readDecimal(written: string): string | null {
  const digits = written.trim();
  if (!decimalText.test(digits)) return null;
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

/**
 * An amount as an exact decimal in text (`6300`, `12.5`), read from a number or a string (API 2: paidPrice is a number
 * on input and a string in the response). Trailing zeros of the fraction are dropped, so equal amounts are equal text.
 */
export const decimal = withExactTest(
  z.codec(scalar, z.string().regex(decimalText).nullish(), {
    decode: (value) => {
      if (value == null) return value;
      return readDecimal(String(value));
    },
    encode: (value) => value,
  }),
  (value) => value == null || (typeof value === 'string' && value === readDecimal(value)),
);

/** An object of the reply: unknown fields kept, itself nullable and optional. */
export const nested = <T extends z.core.$ZodShape>(shape: T) => z.looseObject(shape).nullish();

/** A list inside a record. */
export const listOf = <T extends z.ZodType>(element: T) => z.array(element).nullish();
