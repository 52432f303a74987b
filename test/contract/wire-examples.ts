import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../src/base/failure.ts';
import type { Json } from '../../src/base/json.ts';
import { decodeReply, encodeRequest, type LooseInput } from '../../src/client/caller.ts';
import type { Assumptions } from '../../src/contract/assumptions.ts';
import type { Operation } from '../../src/contract/operations.ts';
import type { Contract } from './contract.ts';

/*
 * One file of `fixtures/wire` for each operation, written by hand from the API document: what a caller gives, the exact
 * bytes of the request, a reply, and what the reply must be read as.
 */

export interface WireExample {
  readonly title: string;
  readonly call: LooseInput;
  /** The way arrays are written, where it is not the default. */
  readonly arrayQuery?: Assumptions['arrayQuery'];
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly reply: Json;
  /** By dotted path: what is read otherwise than it was written. */
  readonly readAs: Readonly<Record<string, Json>>;
}

export interface WireExamples {
  readonly operation: string;
  readonly isRepeatable: boolean;
  readonly examples: readonly WireExample[];
  /** Calls that must not reach the service. */
  readonly refused: readonly { readonly title: string; readonly call: LooseInput }[];
}

const folder = new URL('../../fixtures/wire/', import.meta.url);

export function readWireExamples(): WireExamples[] {
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
}

/** Every point on which the contract writes or reads otherwise than the examples show. */
export function wireDisagreements(contract: Contract, files: readonly WireExamples[]): string[] {
  const rows: Readonly<Record<string, Operation>> = { ...contract.documented, ...contract.optIn };
  const missing = Object.keys(rows).filter((name) => files.every(({ operation }) => operation !== name));
  return [
    ...missing.map((name) => `${name}: there is no example`),
    ...files.flatMap((file) => {
      const row = rows[file.operation];
      return row === undefined
        ? [`${file.operation}: there is no such operation`]
        : rowDisagreements(row, file);
    }),
  ];
}

function rowDisagreements(
  row: Operation,
  { operation, isRepeatable, examples, refused }: WireExamples,
): string[] {
  const differences = examples.flatMap((example) => {
    try {
      return exampleDisagreements(operation, row, example);
    } catch (error) {
      return [`${operation}, ${example.title}: ${messageOf(error)}`];
    }
  });
  const taken = refused.filter(({ call }) => isTaken(operation, row, call));
  return [
    ...(row.isRepeatable === isRepeatable ? [] : [`${operation}: isRepeatable is ${row.isRepeatable}`]),
    ...differences,
    ...taken.map(({ title }) => `${operation}, ${title}: is not refused`),
  ];
}

function exampleDisagreements(operation: string, row: Operation, example: WireExample): string[] {
  const { title, call, arrayQuery = 'repeat', request, reply } = example;
  const { authorization: _, ...headers } = request.headers;
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
      return `${operation}, ${title}: ${point} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
    });
}

function isTaken(operation: string, row: Operation, call: LooseInput): boolean {
  try {
    encodeRequest(operation, row, call, { arrayQuery: 'repeat' });
    return true;
  } catch {
    return false;
  }
}

/** The reply as it was written, but for what `readAs` says. */
export function expectedReading({ reply, readAs }: WireExample): Json {
  const reading = structuredClone(reply);
  for (const [path, value] of Object.entries(readAs)) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    const parent = steps.reduce<object>((inner, step) => Reflect.get(inner, step), reading as object);
    Reflect.set(parent, last, value);
  }
  return reading;
}
