import * as z from 'zod';
import { isJsonObject } from '../base/json.ts';

type ExactTest = (value: unknown) => boolean;

/** What is known of a codec of replies besides how it decodes. */
interface ReplyForm {
  /** Whether a value is what the codec would make of it. */
  readonly isExact: ExactTest;
  /** The values the codec reads, as the service writes them. */
  readonly written: () => z.ZodType;
}

const forms = new WeakMap<z.core.$ZodType, ReplyForm>();

/** Registers the form of a codec, so that `isExact` and `writtenForm` know it wherever it is part of a resource. */
export function withForm<T extends z.core.$ZodType>(codec: T, form: ReplyForm): T {
  forms.set(codec, form);
  return codec;
}

const exactTests = new WeakMap<z.core.$ZodType, ExactTest>();

/**
 * Whether decoding `value` would only copy it, since every field is as documented, null or missing. Replies nearly
 * always are, and telling so takes a fraction of the time of a copy.
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
 * The schema of a resource as services write it and lists print it: each field in every form its codec reads. Where a
 * printed record does not fit it, the odd field is one that this tool reads as empty.
 */
export function writtenForm(resource: z.ZodObject): z.ZodType {
  const fields = Object.entries(resource.shape).map(([name, field]) => [
    name,
    forms.get(field)?.written() ?? field,
  ]);
  return z.looseObject(Object.fromEntries(fields));
}
