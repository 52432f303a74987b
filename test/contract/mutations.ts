import * as z from 'zod';
import type { Operation } from '../../src/contract/operations.ts';
import {
  booleanParameter,
  integerParameter,
  textParameter,
  timeParameter,
} from '../../src/contract/query-codecs.ts';
import { boolean, decimal, identifier, integer, number, text } from '../../src/contract/reply-codecs.ts';
import type { Method } from '../../src/contract/wire.ts';
import type { Contract } from './contract.ts';

/** A contract with one thing wrong in it. */
export interface Mutation {
  readonly title: string;
  readonly contract: Contract;
}

/** One value in place of another, and what was done to it. */
interface Change<T> {
  readonly title: string;
  readonly value: T;
}

/** How the title of a contract ends in which a schema was only taken apart and put together again. */
export const unchanged = 'put together again';

/** Every single change of the table of operations, the resources, the states and the limits that a slip of the hand could make. */
export function* mutationsOf(contract: Contract): Generator<Mutation> {
  for (const group of ['documented', 'optIn'] as const) {
    for (const { title, value } of recordChanges(contract[group], rowChanges)) {
      yield { title, contract: { ...contract, [group]: value } };
    }
  }
  for (const { title, value } of recordChanges(contract.resources, replyChanges)) {
    yield { title, contract: { ...contract, resources: value } };
  }
  for (const words of ['states', 'observedValues'] as const) {
    for (const { title, value } of recordChanges(contract[words], wordChanges)) {
      yield { title, contract: { ...contract, [words]: value } };
    }
  }
  for (const { title, value } of recordChanges(contract.limits, (limit) => [
    { title: 'one more', value: limit + 1 },
  ])) {
    yield { title, contract: { ...contract, limits: value } };
  }
  yield { title: 'path prefix: another version', contract: { ...contract, pathPrefix: '/admin/v3' } };
}

/** The changes of one entry after the other, and the loss of each entry. */
function* recordChanges<T>(
  record: Readonly<Record<string, T>>,
  changesOf: (entry: T) => Iterable<Change<T>>,
): Generator<Change<Readonly<Record<string, T>>>> {
  for (const [name, entry] of Object.entries(record)) {
    const { [name]: _, ...others } = record;
    yield { title: `${name}: removed`, value: others };
    for (const { title, value } of changesOf(entry)) {
      yield { title: `${name}: ${title}`, value: { ...record, [name]: value } };
    }
  }
}

function* wordChanges(words: readonly string[]): Generator<Change<readonly string[]>> {
  yield { title: 'a word added', value: [...words, 'FAILED'] };
  for (const [index, word] of words.entries()) {
    yield { title: `${word} removed`, value: words.toSpliced(index, 1) };
    yield { title: `${word} renamed`, value: words.with(index, `${word}_X`) };
  }
}

/* Rows */

const otherMethods: Readonly<Record<Method, Method>> = {
  GET: 'POST',
  POST: 'PUT',
  PATCH: 'PUT',
  PUT: 'PATCH',
};

function* rowChanges(row: Operation): Generator<Change<Operation>> {
  if (row.number !== undefined) yield { title: 'number', value: { ...row, number: row.number + 1 } };
  if (row.number !== undefined)
    yield { title: 'purpose', value: { ...row, purpose: `${row.purpose} again` } };
  yield { title: 'isRepeatable', value: { ...row, isRepeatable: !row.isRepeatable } };
  yield { title: 'method', value: { ...row, method: otherMethods[row.method] } };
  for (const { title, value } of pathChanges(row.path)) yield { title, value: { ...row, path: value } };
  const { query, body, ...bare } = row;
  if (query === undefined && row.number !== undefined) {
    yield {
      title: 'a query added',
      value: { ...row, query: z.strictObject({ first: integerParameter.optional() }) },
    };
  } else if (query !== undefined) {
    yield { title: 'query removed', value: bare };
    for (const { title, value } of objectChanges(query, queryChanges)) {
      yield { title: `query ${title}`, value: { ...row, query: value } };
    }
  }
  if (body === undefined) {
    yield { title: 'a body added', value: { ...row, body: z.strictObject({ name: z.string().optional() }) } };
  } else {
    yield { title: 'body removed', value: bare };
    for (const { title, value } of bodyChanges(body))
      yield { title: `body ${title}`, value: { ...row, body: value } };
  }
  for (const { title, value } of replyChanges(row.reply)) {
    yield { title: `reply ${title}`, value: { ...row, reply: value } };
  }
}

function* pathChanges(path: string): Generator<Change<string>> {
  const segments = path.split('/');
  for (const [index, segment] of segments.entries()) {
    if (segment === '') continue;
    const renamed = segment.startsWith('{') ? '{otherId}' : `${segment}s`;
    yield { title: `path: ${segment} renamed`, value: segments.with(index, renamed).join('/') };
    yield { title: `path: ${segment} dropped`, value: segments.toSpliced(index, 1).join('/') };
  }
  yield { title: 'path: a slash at the end', value: `${path}/` };
}

/* Schemas */

/** The fields of an object removed, renamed and changed one after the other; and the object open where it was closed. */
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
    for (const { title, value } of fieldChanges(field as z.ZodType)) {
      yield { title: `${name}: ${title}`, value: rebuilt({ ...object.shape, [name]: value }) };
    }
  }
}

function* queryChanges(field: z.ZodType): Generator<Change<z.ZodType>> {
  const inner = unwrapped(field);
  const byDefault = defaultOf(field);
  const asBefore = (schema: z.ZodType) =>
    byDefault === undefined ? schema.optional() : schema.optional().meta({ default: byDefault });
  yield { title: unchanged, value: asBefore(inner) };
  yield { title: 'required', value: inner };
  yield* defaultChanges(field);
  for (const { title, value } of enumChanges(inner)) yield { title, value: asBefore(value) };
  if (inner instanceof z.ZodArray) {
    yield { title: 'one value', value: textParameter.optional() };
    for (const { title, value } of queryLeafChanges(inner.element as z.ZodType)) {
      yield { title: `elements ${title}`, value: z.array(value).optional() };
    }
  } else {
    yield { title: 'a list', value: asBefore(z.array(textParameter)) };
    for (const { title, value } of queryLeafChanges(inner)) yield { title, value: asBefore(value) };
  }
}

function* queryLeafChanges(leaf: z.ZodType): Generator<Change<z.ZodType>> {
  const others = {
    text: textParameter,
    integer: integerParameter,
    boolean: booleanParameter,
    time: timeParameter,
  };
  for (const [title, value] of Object.entries(others)) if (value !== leaf) yield { title, value };
}

function* bodyChanges(body: z.ZodType): Generator<Change<z.ZodType>> {
  if (body instanceof z.ZodArray) {
    const element = body.element as z.ZodType;
    yield { title: 'not an array', value: element };
    yield { title: 'other maximum', value: z.array(element).max(99) };
    for (const { title, value } of bodyChanges(element)) {
      const array = z.array(value);
      yield { title: `[] ${title}`, value: body.def.checks?.length ? array.max(100) : array };
    }
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
  for (const { title, value } of enumChanges(inner)) yield { title, value: asBefore(value) };
  if (inner instanceof z.ZodObject || inner instanceof z.ZodArray) {
    for (const { title, value } of nestedBodyChanges(inner)) yield { title, value: asBefore(value) };
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
    for (const { title, value } of objectChanges(inner.element, bodyFieldChanges)) {
      yield { title: `[] ${title}`, value: z.array(value) };
    }
  }
}

/** The default of a query parameter or body field changed and dropped. */
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
  for (const { title, value } of wordChanges(inner.options.map(String)))
    yield { title, value: z.enum(value) };
}

/** Replies: fields at every depth removed, renamed and read as another type. */
function* replyChanges(schema: z.ZodType): Generator<Change<z.ZodType>> {
  if (schema instanceof z.ZodObject) yield* objectChanges(schema, replyChanges);
  else if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType;
    yield { title: unchanged, value: z.array(element) };
    yield { title: 'not a list', value: element };
    for (const { title, value } of replyChanges(element))
      yield { title: `[] ${title}`, value: z.array(value) };
  } else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    for (const { title, value } of replyChanges(unwrapped(schema))) yield { title, value: value.nullish() };
  } else {
    const others = { text, number, integer, boolean, decimal, identifier };
    for (const [title, value] of Object.entries(others))
      if (value !== schema) yield { title: `read as ${title}`, value };
  }
}

/** What stands inside optional, nullable and default. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}
