import { isJsonObject, type Json } from '../../src/base/json.ts';
import type { ApiDocument, DocumentedField, DocumentedOperation, Shape } from './api-document.ts';
import { oncePer } from './once.ts';

/*
 * Whole replies made from the document, every field at every depth set, and then bent in each way a looser service
 * bends them.
 */

/** A value as it stands in a reply, and what it must be read as; undefined for a field left out. */
interface Reading {
  readonly written: Json | undefined;
  readonly read: Json | undefined;
}

/** One way of writing a reply. */
interface Manner {
  /** What stands in a field that the document gives this name and type. */
  readonly scalar: (name: string, type: string) => Reading;
  /** What stands in place of a record's objects; themselves where it is left out. */
  readonly object?: Reading;
  /** What stands in place of a record's lists; themselves where it is left out. */
  readonly list?: Reading;
  /** What else the lists of a record hold, and nobody can read. */
  readonly strays?: readonly Json[];
}

/** Read as exact decimals: the document has them as numbers or, in replies, as text. */
const amounts: ReadonlySet<string> = new Set(['amount', 'paidPrice']);

const asWritten = (value: Json | undefined): Reading => ({ written: value, read: value });

const documented: Manner['scalar'] = (name, type) => {
  if (amounts.has(name)) return { written: 6300.5, read: '6300.5' };
  const values: Readonly<Record<string, Json>> = { string: 'a b', integer: 7, number: 4.5, boolean: true };
  return asWritten(values[type]);
};

const swapped: Manner['scalar'] = (name, type) => {
  if (amounts.has(name)) return { written: '6300.50', read: '6300.5' };
  const values: Readonly<Record<string, Reading>> = {
    string: { written: 7, read: '7' },
    integer: { written: '7', read: 7 },
    number: { written: '4.5', read: 4.5 },
    boolean: { written: 'true', read: true },
  };
  return values[type] ?? asWritten(undefined);
};

/** Texts as something else, all other fields as documented. */
const textsAs =
  (reading: Reading): Manner['scalar'] =>
  (name, type) =>
    type === 'string' ? reading : documented(name, type);

const unreadable: Manner['scalar'] = (name, type) =>
  type === 'string' ? documented(name, type) : { written: 'x', read: null };

const ofNoUse = (written: Json): Reading => ({ written, read: null });

const asDocumented: Manner = { scalar: documented };

const manners: Readonly<Record<string, Manner>> = {
  'as documented': asDocumented,
  'numbers as text and text as numbers': { scalar: swapped },
  'text as booleans': { scalar: textsAs({ written: true, read: 'true' }) },
  'text as empty text': { scalar: textsAs(asWritten('')) },
  'text as numbers too large to be exact': { scalar: textsAs(ofNoUse(2 ** 53)) },
  'values of no use': { scalar: unreadable },
  'objects in place of values': { scalar: () => ofNoUse({ id: '1' }) },
  'lists in place of values': { scalar: () => ofNoUse(['1']) },
  'every value null': { scalar: () => asWritten(null) },
  'every value missing': { scalar: () => asWritten(undefined) },
  'every object and list null': { scalar: documented, object: asWritten(null), list: asWritten(null) },
  'every object and list missing': {
    scalar: documented,
    object: asWritten(undefined),
    list: asWritten(undefined),
  },
  'text in place of objects and lists': { scalar: documented, object: ofNoUse('x'), list: ofNoUse('x') },
  'objects and lists in place of each other': {
    scalar: documented,
    object: ofNoUse([{ id: '1' }]),
    list: ofNoUse({ id: '1' }),
  },
  'lists with elements that are no objects': { scalar: documented, strays: [null, 'x', 7, false, [{}]] },
};

type DocumentedReply = DocumentedOperation['reply'];

export interface BentReply extends Reading {
  readonly title: string;
}

/** By `page Product` and the like: replies with `read` for those that must be read, without for those that must be refused. */
export const repliesOf = oncePer((document: ApiDocument): Readonly<Record<string, readonly BentReply[]>> => {
  const kinds = ['one', 'page', 'array'] as const;
  const replies = Object.keys(document.resources).flatMap((resource) =>
    kinds.map((kind) => ({ kind, resource })),
  );
  return Object.fromEntries(
    replies.map((reply) => [`${reply.kind} ${reply.resource}`, bentReplies(reply, document)]),
  );
});

function bentReplies(reply: DocumentedReply, document: ApiDocument): BentReply[] {
  const whole = (manner: Manner, ownId?: Reading) =>
    wrapped(reply, recordOf(reply, manner, document, ownId), manner, document);
  const withId = (title: string, id: Json | undefined) => ({
    title,
    written: whole(asDocumented, asWritten(id)).written,
    // Of a list the record alone is left out.
    read: reply.kind === 'page' ? withoutRecords(whole(asDocumented).read) : undefined,
  });
  return [
    ...Object.entries(manners).map(([title, manner]) => ({ title, ...whole(manner) })),
    withId('an id that is null', null),
    withId('no id', undefined),
    withId('an id that is an object', {}),
    withId('an id that may be rounded', -(2 ** 53)),
  ];
}

function withoutRecords(page: Json | undefined): Json {
  return { ...(isJsonObject(page) ? page : {}), data: [] };
}

function wrapped({ kind }: DocumentedReply, record: Reading, manner: Manner, document: ApiDocument): Reading {
  const list: Reading = { written: [record.written ?? null], read: [record.read ?? null] };
  if (kind === 'one') return record;
  if (kind === 'array') return list;
  return objectOf(document.envelope, (field) =>
    field.name === 'data' ? list : readingOf(field, manner, document),
  );
}

/** A record of its own; its id is what every other part of a reply may lack. */
function recordOf(
  { resource }: DocumentedReply,
  manner: Manner,
  document: ApiDocument,
  ownId?: Reading,
): Reading {
  return objectOf(document.resources[resource] ?? [], (field) => {
    const reading = readingOf(field, manner, document);
    if (field.name !== 'id' && field.name !== 'jobId') return reading;
    const isId = typeof reading.written === 'number' && reading.read !== null;
    return ownId ?? (isId ? reading : readingOf(field, asDocumented, document));
  });
}

function readingOf({ name, shape }: DocumentedField, manner: Manner, document: ApiDocument): Reading {
  if (shape.kind === 'scalar') return manner.scalar(name, shape.type);
  const inPlace = shape.kind === 'list' ? manner.list : manner.object;
  return inPlace ?? nestedOf(shape, manner, document);
}

function nestedOf(shape: Shape, manner: Manner, document: ApiDocument): Reading {
  if (shape.kind === 'scalar') return manner.scalar('', shape.type);
  if (shape.kind === 'list') {
    const { written = null, read = null } = nestedOf(shape.element, manner, document);
    return { written: [...(manner.strays ?? []), written], read: [read] };
  }
  const fields = shape.kind === 'object' ? shape.fields : (document.resources[shape.name] ?? []);
  return objectOf(fields, (field) => readingOf(field, manner, document));
}

/** An object of these fields and of one the document does not know, which must be kept. */
function objectOf(
  fields: readonly DocumentedField[],
  readingOfField: (field: DocumentedField) => Reading,
): Reading {
  const readings = fields.map((field) => ({ name: field.name, ...readingOfField(field) }));
  const side = (which: 'written' | 'read') => {
    const values = readings.flatMap((reading) =>
      reading[which] === undefined ? [] : [[reading.name, reading[which]]],
    );
    return { ...Object.fromEntries(values), unheardOf: { by: ['the document'] } };
  };
  return { written: side('written'), read: side('read') };
}
