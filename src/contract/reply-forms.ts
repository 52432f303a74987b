import * as z from 'zod';
import { isJsonObject } from '../base/json.ts';

type ExactTest = (value: unknown) => boolean;

/** Properties of a reply codec beyond decoding. */
interface ReplyForm {
  /** True if decoding would leave a value unchanged. */
  readonly isExact: ExactTest;
  /** Schema of the values that the codec can read. */
  readonly written: () => z.ZodType;
}

const forms = new WeakMap<z.core.$ZodType, ReplyForm>();

/** Registers the form of a codec, so that `isExact` and `writtenForm` apply to resources that contain it. */
export function withForm<T extends z.core.$ZodType>(codec: T, form: ReplyForm): T {
  forms.set(codec, form);
  return codec;
}

const exactTests = new WeakMap<z.core.$ZodType, ExactTest>();

/**
 * True if decoding `value` would only copy it, because each field is as documented, null or missing. This applies to
 * nearly all replies, and the check costs a fraction of a copy.
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
 * The schema of a resource as services write it and lists print it: each field in all forms that its codec reads. If a
 * field of a printed record does not match, reviewctl reads it as empty.
 */
export function writtenForm(resource: z.ZodObject): z.ZodType {
  const fields = Object.entries(resource.shape).map(([name, field]) => [
    name,
    forms.get(field)?.written() ?? field,
  ]);
  return z.looseObject(Object.fromEntries(fields));
}
