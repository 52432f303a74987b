import * as z from 'zod';
import { isJsonObject, type Json } from '../base/json.ts';
import { isExact, withForm, writtenForm } from './reply-forms.ts';
import {
  writtenBoolean,
  writtenDecimal,
  writtenIdentifier,
  writtenInteger,
  writtenNumber,
  writtenText,
} from './written-scalars.ts';

/*
 * Replies are read leniently: any field may be null, missing, or of another type, and unknown fields are kept. A value
 * that cannot be converted to the documented type is read as null, so that it affects only the runs that need it.
 */

type Scalar = string | number | boolean;

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** True if JSON.parse may have rounded the number: from 2^53 on, neighbouring integers become equal. */
function mayBeRounded(value: Scalar): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/**
 * A record's own id, the only required field. A number is refused if it may be rounded, because it could be the id of
 * another record. A record with an empty id is listed, but cannot be requested (`isPathSegment`).
 */
export const identifier = withForm(
  z.codec(
    z.custom<string | number>(
      (value) => typeof value === 'string' || (typeof value === 'number' && !mayBeRounded(value)),
      {
        error: ({ input }) =>
          isScalar(input) && mayBeRounded(input)
            ? `the number ${String(input)} is too large to be read exactly; rounding may turn it into another id`
            : 'expected an id',
      },
    ),
    z.string(),
    { decode: String, encode: (text) => text },
  ),
  { isExact: (value) => typeof value === 'string', written: writtenIdentifier },
);

/**
 * A field with one value, which `read` converts from any scalar; null if it is unreadable. `written` is the schema of
 * the readable forms.
 */
function scalarField<T extends Scalar>(
  type: z.ZodType<T, T>,
  written: () => z.ZodType,
  read: (written: Scalar) => T | null,
) {
  return withForm(
    z.codec(z.custom<Json>().optional(), type.nullish(), {
      decode: (value) => (value === undefined ? value : isScalar(value) ? read(value) : null),
      encode: (value) => value,
    }),
    {
      isExact: (value) => value == null || (isScalar(value) && read(value) === value),
      written,
    },
  );
}

/** Decodes a scalar with its codec; undefined if it is missing or unreadable. */
export function readScalar<T extends Scalar>(
  codec: z.ZodType<T | null | undefined>,
  value: Json | undefined,
): T | undefined {
  return z.safeDecode(codec, value).data ?? undefined;
}

export const text = scalarField(z.string(), writtenText, (written) =>
  mayBeRounded(written) ? null : String(written),
);

export const number = scalarField(z.number(), writtenNumber, (written) => {
  if (typeof written === 'boolean' || (typeof written === 'string' && written.trim() === '')) return null;
  const parsed = Number(written);
  return Number.isFinite(parsed) ? parsed : null;
});

export const integer = scalarField(z.int(), writtenInteger, (written) => {
  const parsed = typeof written === 'string' && written.trim() !== '' ? Number(written) : written;
  return typeof parsed === 'number' && Number.isSafeInteger(parsed) ? parsed : null;
});

export const boolean = scalarField(z.boolean(), writtenBoolean, (written) => {
  if (typeof written === 'boolean') return written;
  const word = String(written).toLowerCase();
  if (['true', '1', 'y'].includes(word)) return true;
  return ['false', '0', 'n'].includes(word) ? false : null;
});

const decimalText = /^-?\d+(?:\.\d+)?$/;

/**
 * An amount as an exact decimal in text (`6300`, `12.5`), read from a number or a string (API 2: paidPrice is a number
 * on input and a string in the response). Drops trailing zeros of the fraction, so equal amounts are equal texts.
 */
export const decimal = scalarField(z.string().regex(decimalText), writtenDecimal, (written) => {
  const digits = String(written).trim();
  if (mayBeRounded(written) || !decimalText.test(digits)) return null;
  return digits.includes('.') ? digits.replace(/\.?(?<!0)0+$/, '') : digits;
});

/** A nested object, with unknown fields. Any other value is read as null. */
export function nested<T extends z.core.$ZodShape>(shape: T) {
  const object = z.looseObject(shape).nullish();
  return withForm(
    z.codec(z.custom<z.input<typeof object>>().optional(), object, {
      decode: (value) => (value === undefined || isJsonObject(value) ? value : null),
      encode: (value) => value,
    }),
    {
      isExact: (value) => isExact(object, value),
      written: () => writtenForm(z.looseObject(shape)).nullish(),
    },
  );
}

/**
 * A list of objects inside a record. Elements that are not objects are omitted. Any other value is read as null.
 */
export function listOf<T extends z.ZodObject>(element: T) {
  const list = z.array(element).nullish();
  return withForm(
    z.codec(z.custom<z.input<typeof list>>().optional(), list, {
      decode: (value) =>
        value === undefined ? value : Array.isArray(value) ? value.filter(isJsonObject) : null,
      encode: (value) => value,
    }),
    { isExact: (value) => isExact(list, value), written: () => z.array(writtenForm(element)).nullish() },
  );
}
