import { readdirSync, readFileSync } from 'node:fs';
import type { Json } from '../../src/base/json.ts';
import type { LooseInput } from '../../src/client/caller.ts';
import type { Assumptions } from '../../src/contract/assumptions.ts';

/*
 * One file of `fixtures/wire` for each operation, written by hand from the API document: the input of a call, the exact
 * bytes of its request, a reply, and the expected decoding of the reply.
 */

export interface WireExample {
  readonly title: string;
  readonly call: LooseInput & { readonly body?: Json };
  /** Style of arrays, if it is not the default. */
  readonly arrayQuery?: Assumptions['arrayQuery'];
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly reply: Json;
  /** By dotted path: decoded values that differ from the written ones. */
  readonly readAs: Readonly<Record<string, Json>>;
}

export interface WireExamples {
  readonly operation: string;
  readonly isRepeatable: boolean;
  /** Paths of required fields of the body (`items[].originId`), and of those that may be null; only with a body. */
  readonly required?: readonly string[];
  readonly nullable?: readonly string[];
  /** Maximum number of entries in a bulk request. */
  readonly entriesMaximum?: number;
  /** The first one sets every field and parameter. */
  readonly examples: readonly WireExample[];
  /** Calls that must be refused without a request. */
  readonly refused: readonly { readonly title: string; readonly call: LooseInput }[];
}

const folder = new URL('../../fixtures/wire/', import.meta.url);

export function readWireExamples(): WireExamples[] {
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
}

/** The reply as written, except for the values of `readAs`. */
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
