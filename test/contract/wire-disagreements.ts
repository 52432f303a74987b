import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../src/base/failure.ts';
import { isJsonObject, type Json } from '../../src/base/json.ts';
import { decodeReply, encodeRequest, type LooseInput } from '../../src/client/caller.ts';
import type { Operation } from '../../src/contract/operations.ts';
import type { Contract } from './contract.ts';
import { oncePer } from './once.ts';
import { expectedReading, type WireExample, type WireExamples } from './wire-examples.ts';

/** Every difference between the examples and what the contract writes or reads. */
export function wireDisagreements(contract: Contract, files: readonly WireExamples[]): string[] {
  const rows: Readonly<Record<string, Operation>> = { ...contract.documented, ...contract.optIn };
  const missing = Object.keys(rows).filter((name) => files.every(({ operation }) => operation !== name));
  return [
    ...missing.map((name) => `${name}: there is no example`),
    ...files.flatMap((file) => {
      const row = rows[file.operation];
      return row === undefined
        ? [`${file.operation}: there is no such operation`]
        : rowDisagreements(row)(file);
    }),
  ];
}

const rowDisagreements = oncePer((row: Operation) =>
  oncePer((file: WireExamples): readonly string[] =>
    [
      ...(row.isRepeatable === file.isRepeatable ? [] : [`isRepeatable is ${row.isRepeatable}`]),
      ...file.examples.flatMap((example) => exampleDisagreements(file.operation, row, example)),
      ...refusalDisagreements(row, file),
    ].map((difference) => `${file.operation}, ${difference}`),
  ),
);

function refusalDisagreements(
  row: Operation,
  { refused, examples, required, nullable, entriesMaximum }: WireExamples,
): string[] {
  const taken = refused.filter(({ call }) => isTaken(row, call));
  const [full] = examples;
  const { body, ...call } = full?.call ?? {};
  const changes = body === undefined ? [] : [...bodyChanges(body, '')];
  const misjudged = changes.filter(({ place, change, body: changed }) => {
    const isAllowed = {
      missing: !required?.includes(place),
      null: nullable?.includes(place) === true,
      added: false,
    }[change];
    return isTaken(row, { ...call, body: changed }) !== isAllowed;
  });
  const isBounded = entriesMaximum === undefined || isBoundedTo(row, entriesMaximum, body);
  return [
    ...taken.map(({ title }) => `${title}: is not refused`),
    ...misjudged.map(
      ({ place, change }) => `body ${place}: ${change} is refused or taken against the document`,
    ),
    ...(isBounded ? [] : [`does not take ${entriesMaximum} entries and no more`]),
  ];
}

function isBoundedTo(row: Operation, maximum: number, body: Json | undefined): boolean {
  const [entry = null] = Array.isArray(body) ? (body as readonly Json[]) : [];
  const entries = (count: number) => Array.from({ length: count }, () => entry);
  return isTaken(row, { body: entries(maximum) }) && !isTaken(row, { body: entries(maximum + 1) });
}

interface BodyChange {
  /** `items[].originId` */
  readonly place: string;
  readonly change: 'missing' | 'null' | 'added';
  readonly body: Json;
}

/** Omits each field, sets each to null and adds one to each object, one at a time and at every depth. */
function* bodyChanges(body: Json, place: string): Generator<BodyChange> {
  if (Array.isArray(body)) {
    const [first = null, ...others] = body as readonly Json[];
    for (const inner of bodyChanges(first, `${place}[]`)) yield { ...inner, body: [inner.body, ...others] };
  } else if (isJsonObject(body)) {
    yield { place, change: 'added', body: { ...body, unheardOf: 1 } };
    for (const [name, value = null] of Object.entries(body)) {
      const { [name]: _, ...others } = body;
      const path = place === '' ? name : `${place}.${name}`;
      yield { place: path, change: 'missing', body: others };
      yield { place: path, change: 'null', body: { ...body, [name]: null } };
      for (const inner of bodyChanges(value, path)) yield { ...inner, body: { ...body, [name]: inner.body } };
    }
  }
}

function exampleDisagreements(operation: string, row: Operation, example: WireExample): string[] {
  const { title, call, arrayQuery = 'repeat', request, reply } = example;
  const { authorization: _, ...headers } = request.headers;
  try {
    const sent = encodeRequest(operation, row, call, { arrayQuery });
    const { value } = decodeReply(row, sent, { status: 200, headers: {}, body: JSON.stringify(reply) });
    const points = {
      method: [sent.method, request.method],
      path: [sent.path, request.path],
      headers: [sent.headers, headers],
      body: [sent.body, request.body],
      reply: [value, expectedReading(example)],
    };
    return Object.entries(points)
      .filter(([, [actual, expected]]) => !isDeepStrictEqual(actual, expected))
      .map(([point, [actual, expected]]) => {
        return `${title}: ${point} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
      });
  } catch (error) {
    return [`${title}: ${messageOf(error)}`];
  }
}

function isTaken(row: Operation, call: LooseInput): boolean {
  try {
    encodeRequest('call', row, call, { arrayQuery: 'repeat' });
    return true;
  } catch {
    return false;
  }
}
