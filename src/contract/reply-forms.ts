import * as z from 'zod';
import { isJsonObject } from '../base/json.ts';

type ExactTest = (value: unknown) => boolean;

/** Properties of a reply codec beyond decoding. */
interface ReplyForm {
  /** Whether decoding a value would leave it unchanged. */
  readonly isExact: ExactTest;
  /** The values that the codec reads, as the service writes them. */
  readonly written: () => z.ZodType;
}

const forms = new WeakMap<z.core.$ZodType, ReplyForm>();

/** Registers the form of a codec, for `isExact` and `writtenForm` of resources with it. */
export function withForm<T extends z.core.$ZodType>(codec: T, form: ReplyForm): T {
  forms.set(codec, form);
  return codec;
}

const exactTests = new WeakMap<z.core.$ZodType, ExactTest>();

/**
 * Whether decoding `value` would only copy it, because each field is as documented, null or missing. This is
 * true of nearly all replies, and the check takes a fraction of the time of a copy.
 */
export function isExact(schema: z.core.$ZodType, value: unknown): boolean {
  return exactTest(schema)(value);
}

function exactTest(schema: z.core.$ZodType): ExactTest {
  let test = exactTests.get(schema);
  if (test === undefined) {
    test = forms.get(schema)?.isExact ?? exactTestOf(schema);
    exactTests.set(schema, test);
  }
  return test;
}

function exactTestOf(schema: z.core.$ZodType): ExactTest {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const inner = exactTest(schema.unwrap());
    const absent = schema instanceof z.ZodOptional ? undefined : null;
    return (value) => value === absent || inner(value);
  }
  if (schema instanceof z.ZodArray) {
    const element = exactTest(schema.element);
    return (value) => Array.isArray(value) && value.every(element);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => ({ name, test: exactTest(field) }));
    return (value) => isJsonObject(value) && fields.every(({ name, test }) => test(value[name]));
  }
  return () => false;
}

/**
 * The schema of a resource as services write it and lists print it: each field in all forms that its codec
 * reads. A field of a printed record that does not match is one that reviewctl reads as empty.
 */
export function writtenForm(resource: z.ZodObject): z.ZodType {
  const fields = Object.entries(resource.shape).map(([name, field]) => [
    name,
    forms.get(field)?.written() ?? field,
  ]);
  return z.looseObject(Object.fromEntries(fields));
}
