import { isJsonObject, type Json } from '../../src/base/json.ts';
import type { ApiDocument, DocumentedField, DocumentedOperation, Shape } from './api-document.ts';
import { oncePer } from './once.ts';

/* Complete replies built from the document, with every field at every depth, as loose services may write them. */

/** A value as written in a reply, and as it must be read; undefined for a missing field. */
interface Reading {
  readonly written: Json | undefined;
  readonly read: Json | undefined;
}

/** A notation of replies. */
interface Manner {
  /** The value of a field with this name and type in the document. */
  readonly scalar: (name: string, type: string) => Reading;
  /** Replaces the nested objects of a record; by default they stay. */
  readonly object?: Reading;
  /** Replaces the lists of a record; by default they stay. */
  readonly list?: Reading;
  /** Unreadable elements to add to the lists of a record. */
  readonly strays?: readonly Json[];
}

/** Fields read as exact decimals. In the document they are numbers or, in replies, text. */
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

/** Replaces texts, and leaves all other fields as documented. */
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

/** Replies by keys such as `page Product`. One with `read` must be read as that; one without must be refused. */
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
    // A page only loses the record.
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

/** A record with its own id, which only nested records may lack. */
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

/** An object with these fields and an undocumented one, which must be kept. */
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
