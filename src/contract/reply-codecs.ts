import * as z from 'zod';

/*
 * Replies are read leniently: any field may be null, missing, or of another scalar type, and unknown fields are kept.
 * What cannot be read as the documented type is null, so a single odd value never breaks a run that does not need it.
 */

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

const scalar = z.custom<string | number | boolean | null>(isScalar, 'expected a single value').optional();

export const identifier = z.codec(z.union([z.string().min(1), z.number()]), z.string(), {
  decode: String,
  encode: (text) => text,
});

export const text = z.codec(scalar, z.string().nullish(), {
  decode: (value) => (value == null ? value : String(value)),
  encode: (value) => value,
});

export const number = z.codec(scalar, z.number().nullish(), {
  decode: (value) => {
    if (value == null || typeof value === 'number') return value;
    if (typeof value === 'boolean' || value.trim() === '') return null;
    const parsed = Number(value);
    return Number.isFinite(parsed) ? parsed : null;
  },
  encode: (value) => value,
});

export const integer = z.codec(scalar, z.int().nullish(), {
  decode: (value) => {
    if (value == null) return value;
    const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof parsed === 'number' && Number.isSafeInteger(parsed) ? parsed : null;
  },
  encode: (value) => value,
});

export const boolean = z.codec(scalar, z.boolean().nullish(), {
  decode: (value) => {
    if (value == null || typeof value === 'boolean') return value;
    const word = String(value).toLowerCase();
    if (['true', '1', 'y'].includes(word)) return true;
    return ['false', '0', 'n'].includes(word) ? false : null;
  },
  encode: (value) => value,
});

const decimalText = /^-?\d+(?:\.\d+)?$/;

/**
 * An amount as an exact decimal in text (`6300`, `12.5`), read from a number or a string (API 2: paidPrice is a number
 * on input and a string in the response). Trailing zeros of the fraction are dropped, so equal amounts are equal text.
 */
export const decimal = z.codec(scalar, z.string().regex(decimalText).nullish(), {
  decode: (value) => {
    if (value == null) return value;
    const written = String(value).trim();
    if (!decimalText.test(written)) return null;
    return written.includes('.') ? written.replace(/\.?0+$/, '') : written;
  },
  encode: (value) => value,
});

/** An object of the reply: unknown fields kept, itself nullable and optional. */
export const nested = <T extends z.core.$ZodShape>(shape: T) => z.looseObject(shape).nullish();

/** A list inside a record. */
export const listOf = <T extends z.ZodType>(element: T) => z.array(element).nullish();
