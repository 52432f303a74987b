import { isJsonObject } from '../../../base/json.ts';

/** The way to a value inside a body; entries of lists count from 0. */
type Path = readonly (string | number)[];

/** A body as it was given, and how its values are named to the person who gave it. */
export interface GivenBody {
  readonly value: unknown;
  /** `usage` where it was typed, `input` where it came from a file or a pipe. */
  readonly kind: 'usage' | 'input';
  nameOf(path: Path): string;
  /** Where to read what each field takes; in the help of the command itself where it is left out. */
  readonly help?: string;
}

/** A body that a command makes itself. */
export function typedBody(value: unknown): GivenBody {
  return { value, kind: 'usage', nameOf: (path) => path.join('.') };
}

/** The text under `name` in a body, empty where there is none. */
export function textIn(body: GivenBody | undefined, name: string): string {
  const text = isJsonObject(body?.value) ? body.value[name] : undefined;
  return typeof text === 'string' ? text : '';
}
