import * as z from 'zod';
import {
  booleanParameter,
  ratingParameter,
  textParameter,
  timeParameter,
} from '../../src/contract/query-codecs.ts';
import {
  boolean,
  decimal,
  identifier,
  integer,
  listOf,
  nested,
  number,
  text,
} from '../../src/contract/reply-codecs.ts';
import { type Change, lifted, unchanged, wordChanges } from './changes.ts';

/** Removes, renames and changes the fields of an object, one at a time, and opens a closed object. */
function* objectChanges(
  object: z.ZodObject,
  fieldChanges: (field: z.ZodType) => Iterable<Change<z.ZodType>>,
): Generator<Change<z.ZodObject>> {
  const isClosed = object.def.catchall?._zod.def.type === 'never';
  const rebuilt = (shape: z.core.$ZodShape) => (isClosed ? z.strictObject(shape) : z.looseObject(shape));
  yield { title: unchanged, value: rebuilt(object.shape) };
  if (isClosed) yield { title: 'takes unknown fields', value: z.looseObject(object.shape) };
  for (const [name, field] of Object.entries(object.shape)) {
    const { [name]: _, ...others } = object.shape;
    yield { title: `${name}: removed`, value: rebuilt(others) };
    yield { title: `${name}: renamed`, value: rebuilt({ ...others, [`${name}X`]: field }) };
    const changes = fieldChanges(field as z.ZodType);
    yield* lifted(`${name}: `, changes, (changed) => rebuilt({ ...object.shape, [name]: changed }));
  }
}

/** Removes and renames the parameters of a query, and changes their types and defaults, one at a time. */
export function queryChanges(query: z.ZodObject): Generator<Change<z.ZodObject>> {
  return objectChanges(query, parameterChanges);
}

function* parameterChanges(field: z.ZodType): Generator<Change<z.ZodType>> {
  const inner = unwrapped(field);
  const byDefault = defaultOf(field);
  const asBefore = (schema: z.ZodType) =>
    byDefault === undefined ? schema.optional() : schema.optional().meta({ default: byDefault });
  yield { title: unchanged, value: asBefore(inner) };
  yield { title: 'required', value: inner };
  yield* defaultChanges(field);
  yield* lifted('', enumChanges(inner), asBefore);
  if (inner instanceof z.ZodArray) {
    const elements = parameterTypeChanges(inner.element as z.ZodType);
    yield { title: 'one value', value: textParameter.optional() };
    yield* lifted('elements ', elements, (element) => z.array(element).optional());
  } else {
    yield { title: 'a list', value: asBefore(z.array(textParameter)) };
    yield* lifted('', parameterTypeChanges(inner), asBefore);
  }
}

function* parameterTypeChanges(leaf: z.ZodType): Generator<Change<z.ZodType>> {
  const others = {
    text: textParameter,
    integer: ratingParameter,
    boolean: booleanParameter,
    time: timeParameter,
  };
  for (const [title, value] of Object.entries(others)) {
    if (value !== leaf) yield { title, value };
  }
}

/** Changes the number of a body's entries, and its fields at every depth. */
export function* bodyChanges(body: z.ZodType): Generator<Change<z.ZodType>> {
  if (body instanceof z.ZodArray) {
    const element = body.element as z.ZodType;
    yield { title: 'not an array', value: element };
    yield { title: 'other maximum', value: z.array(element).max(99) };
    const { maxItems } = z.toJSONSchema(body);
    const arrayOf = (entry: z.ZodType) => {
      return maxItems === undefined ? z.array(entry) : z.array(entry).max(maxItems);
    };
    yield* lifted('[] ', bodyChanges(element), arrayOf);
  } else if (body instanceof z.ZodObject) {
    yield { title: 'an array', value: z.array(body) };
    yield* objectChanges(body, bodyFieldChanges);
  }
}

function* bodyFieldChanges(field: z.ZodType): Generator<Change<z.ZodType>> {
  const isOptional = field.safeParse(undefined).success;
  const isNullable = field.safeParse(null).success;
  const inner = unwrapped(field);
  const byDefault = defaultOf(field);
  const asBefore = (schema: z.ZodType) => {
    const nullable = isNullable ? schema.nullable() : schema;
    const optional = isOptional ? nullable.optional() : nullable;
    return byDefault === undefined ? optional : optional.meta({ default: byDefault });
  };
  yield { title: unchanged, value: asBefore(inner) };
  yield isOptional ? { title: 'required', value: inner } : { title: 'optional', value: field.optional() };
  yield { title: 'null taken or not', value: isNullable ? inner.optional() : field.nullable() };
  yield* defaultChanges(field);
  yield* lifted('', enumChanges(inner), asBefore);
  if (inner instanceof z.ZodObject || inner instanceof z.ZodArray) {
    yield* lifted('', nestedBodyChanges(inner), asBefore);
    yield { title: 'text', value: asBefore(z.string()) };
    return;
  }
  const others = { string: z.string(), number: z.number(), boolean: z.boolean(), array: z.array(inner) };
  for (const [title, value] of Object.entries(others)) {
    if (value.def.type !== inner.def.type) yield { title, value: asBefore(value) };
  }
}

function* nestedBodyChanges(inner: z.ZodObject | z.ZodArray): Generator<Change<z.ZodType>> {
  if (inner instanceof z.ZodObject) {
    yield* objectChanges(inner, bodyFieldChanges);
  } else if (inner.element instanceof z.ZodObject) {
    yield* lifted('[] ', objectChanges(inner.element, bodyFieldChanges), (element) => z.array(element));
  }
}

/** Changes and removes the default of a query parameter or body field. */
function* defaultChanges(field: z.ZodType): Generator<Change<z.ZodType>> {
  const byDefault = defaultOf(field);
  if (byDefault === undefined) return;
  const inner = unwrapped(field).optional();
  const other =
    typeof byDefault === 'boolean' ? !byDefault : typeof byDefault === 'number' ? byDefault + 1 : 'OTHER';
  yield { title: 'no default', value: inner };
  yield { title: 'another default', value: inner.meta({ default: other }) };
}

function defaultOf(field: z.ZodType): unknown {
  return z.toJSONSchema(field, { io: 'output' }).default;
}

function* enumChanges(inner: z.ZodType): Generator<Change<z.ZodType>> {
  if (!(inner instanceof z.ZodEnum)) return;
  yield* lifted('', wordChanges(inner.options.map(String)), (words) => z.enum(words));
}

/** Removes and renames the fields of a reply at every depth, and changes their types. */
export function* replyChanges(schema: z.ZodType): Generator<Change<z.ZodType>> {
  const inner = schema instanceof z.ZodCodec ? unwrapped(schema.out as z.ZodType) : schema;
  if (schema instanceof z.ZodCodec && (inner instanceof z.ZodObject || inner instanceof z.ZodArray)) {
    yield* lifted('', replyChanges(inner), lenient);
  } else if (schema instanceof z.ZodObject) yield* objectChanges(schema, replyChanges);
  else if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType;
    yield { title: unchanged, value: z.array(element) };
    yield { title: 'not a list', value: element };
    yield* lifted('[] ', replyChanges(element), (changed) => z.array(changed));
  } else {
    const others = { text, number, integer, boolean, decimal, identifier };
    for (const [title, value] of Object.entries(others)) {
      if (value !== schema) yield { title: `read as ${title}`, value };
    }
  }
}

/** A changed object or list, in the form that it has inside a record. */
function lenient(changed: z.ZodType): z.ZodType {
  if (changed instanceof z.ZodObject) return nested(changed.shape);
  return changed instanceof z.ZodArray ? listOf(changed.element as z.ZodObject) : changed;
}

/** The schema inside optional, nullable and default. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}
