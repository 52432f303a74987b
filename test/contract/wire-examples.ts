import { readdirSync, readFileSync } from 'node:fs';
import type { Json } from '../../src/base/json.ts';
import type { LooseInput } from '../../src/client/caller.ts';
import type { Assumptions } from '../../src/contract/assumptions.ts';

/*
 * One file of `fixtures/wire` for each operation, written by hand from the API document: what a caller gives, the exact
 * bytes of the request, a reply, and what the reply must be read as.
 */

export interface WireExample {
  readonly title: string;
  readonly call: LooseInput & { readonly body?: Json };
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
  /** The places of the body that must be there, `items[].originId`, and those that may be null; in operations with a body. */
  readonly required?: readonly string[];
  readonly nullable?: readonly string[];
  /** The most entries a bulk request may carry. */
  readonly entriesMaximum?: number;
  /** The first one has every field and parameter set. */
  readonly examples: readonly WireExample[];
  /** Calls that must not reach the service. */
  readonly refused: readonly { readonly title: string; readonly call: LooseInput }[];
}

const folder = new URL('../../fixtures/wire/', import.meta.url);

export function readWireExamples(): WireExamples[] {
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
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
