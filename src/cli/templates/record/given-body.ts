import { isJsonObject } from '../../../base/json.ts';

/** The path of a value inside a body; entries of lists count from 0. */
type Path = readonly (string | number)[];

/** A body as passed by a person, and the names of its values for messages. */
export interface GivenBody {
  readonly value: unknown;
  /** `usage` if it was typed, `input` if it came from a file or a pipe. */
  readonly kind: 'usage' | 'input';
  nameOf(path: Path): string;
  /** The place that describes its fields; by default the help of the command. */
  readonly help?: string;
}

/** A body made by a command itself. */
export function typedBody(value: unknown): GivenBody {
  return { value, kind: 'usage', nameOf: (path) => path.join('.') };
}

/** The text under `name` in a body; empty if there is none. */
export function textIn(body: GivenBody | undefined, name: string): string {
  const text = isJsonObject(body?.value) ? body.value[name] : undefined;
  return typeof text === 'string' ? text : '';
}
