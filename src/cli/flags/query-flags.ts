import * as z from 'zod';
import { parseDuration } from '../../base/duration.ts';
import { Failure } from '../../base/failure.ts';
import { lastOfDay, zonedTime } from '../../base/korean-time.ts';
import { kebabCase } from '../../base/name-case.ts';
import { timeParameter } from '../../contract/query-codecs.ts';
import { helpWith } from './flag-choices.ts';
import {
  booleanValue,
  type Flag,
  type FlagSet,
  integerValue,
  listFlag,
  textFlag,
  valueFlag,
  wordValue,
} from './flags.ts';

/** The type of a query parameter. */
type ParameterKind =
  | { readonly type: 'text' | 'time' | 'boolean' }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'word'; readonly words: readonly string[] }
  | { readonly type: 'list'; readonly element: ParameterKind };

/** A query parameter of an operation. */
interface Parameter {
  readonly description: string;
  readonly kind: ParameterKind;
  /** The service's default, if it is a word. */
  readonly defaultValue: string | undefined;
}

/** The list command handles paging itself. */
const pagingNames: ReadonlySet<string> = new Set(['first', 'after']);

/** One flag for each parameter of a list operation, with the document's order and names. */
export function queryFlags(query: z.ZodObject): FlagSet {
  return Object.fromEntries(
    Object.entries(parametersOf(query))
      .filter(([name]) => !pagingNames.has(name))
      .map(([name, parameter]) => [name, flagOf(parameter)]),
  );
}

/** The context of typed times. */
interface TimeOptions {
  readonly nowMs: number;
  readonly timeZone: string;
}

/**
 * Converts flag values to query values: unset ones are omitted, times are written as the service expects them.
 * `typedAs` returns the name of the flag behind a parameter, if it differs.
 * @throws Failure('usage') for an invalid time, and as `checkRanges`.
 */
export function queryValues(
  query: z.ZodObject,
  flags: Readonly<Record<string, unknown>>,
  { typedAs = (name) => name, ...times }: TimeOptions & { readonly typedAs?: (name: string) => string },
): Record<string, unknown> {
  const given = Object.keys(query.shape).filter(
    (name) => flags[name] !== undefined && !pagingNames.has(name),
  );
  if (given.length === 0) return {};
  const parameters = parametersOf(query);
  const written = (name: string) => {
    const value = flags[name];
    const isTime = parameters[name]?.kind.type === 'time' && typeof value === 'string';
    return isTime ? timeValue(typedAs(name), value, times) : value;
  };
  const values = Object.fromEntries(given.map((name) => [name, written(name)]));
  checkRanges(values, (name) => `--${kebabCase(typedAs(name))} `);
  return values;
}

/**
 * Checks ranges of time among values by the names of their parameters: `createdAtStart` with `createdAtEnd`.
 * @throws Failure('usage') for a range that ends before it starts: it would match nothing, and look like an empty list.
 */
export function checkRanges(
  values: Readonly<Record<string, unknown>>,
  typedAs = (name: string) => `--${kebabCase(name)} `,
): void {
  for (const [name, start] of Object.entries(values)) {
    const endName = name.replace(/Start$/, 'End');
    const end = values[endName];
    if (endName === name || typeof start !== 'string' || typeof end !== 'string') continue;
    if (!(Date.parse(start) > Date.parse(end))) continue;
    throw new Failure(
      'usage',
      `${typedAs(name)}${start} is after ${typedAs(endName)}${end}`,
      'exchange the two; an age such as 7d is counted back from now, so the start has the larger one',
    );
  }
}

/** Parameters that change the order of a list, not its content. */
const orderNames: ReadonlySet<string> = new Set(['sort', 'direction', 'ordering']);

/** The filters among the flags, as typed. */
export function typedFilters(
  query: z.ZodObject,
  flags: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(query.shape).filter((name) => !pagingNames.has(name) && !orderNames.has(name));
  return Object.fromEntries(
    names.map((name) => [name, flags[name]]).filter(([, value]) => value !== undefined),
  );
}

/** The parameters, read from the schemas directly: JSON Schema would add 3 ms to the start of every list. */
export function parametersOf(query: z.ZodObject): Readonly<Record<string, Parameter>> {
  return Object.fromEntries(
    Object.entries(query.shape).map(([name, field]) => [name, parameterOf(field as z.ZodType)]),
  );
}

function parameterOf(field: z.ZodType): Parameter {
  const description = field.description ?? '';
  if (field instanceof z.ZodDefault) {
    const { kind } = parameterOf(field.unwrap() as z.ZodType);
    const { defaultValue } = field.def;
    return { description, kind, defaultValue: typeof defaultValue === 'string' ? defaultValue : undefined };
  }
  if (field instanceof z.ZodOptional) {
    const inner = parameterOf(field.unwrap() as z.ZodType);
    return { ...inner, description: description || inner.description };
  }
  return { description, kind: kindOf(field), defaultValue: undefined };
}

function kindOf(field: z.core.$ZodType): ParameterKind {
  if (field instanceof z.ZodCodec) return kindOf(field.out);
  if (field instanceof z.ZodEnum) return { type: 'word', words: field.options.map(String) };
  if (field instanceof z.ZodArray) return { type: 'list', element: kindOf(field.element) };
  if (field instanceof z.ZodBoolean) return { type: 'boolean' };
  if (field instanceof z.ZodNumber) {
    const { minValue, maxValue } = field;
    return {
      type: 'integer',
      minimum: Math.max(minValue ?? 0, 0),
      maximum: Math.min(maxValue ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    };
  }
  return { type: field === timeParameter ? 'time' : 'text' };
}

function flagOf(parameter: Parameter): Flag<unknown> {
  const { kind } = parameter;
  const help = helpOf(parameter);
  switch (kind.type) {
    case 'word':
      return valueFlag(wordValue(kind.words as [string, ...string[]]), 'WORD', help);
    case 'list': {
      const { element } = kind;
      return element.type === 'integer'
        ? listFlag(integerValue(element.minimum, element.maximum), 'N,N', help)
        : listFlag(() => z.string().regex(/./s, 'has an empty entry'), 'A,B', help);
    }
    case 'boolean':
      return valueFlag(booleanValue, 'true|false', help);
    default:
      // A service may read an empty filter, as an unset variable leaves it, as none.
      return textFlag(kind.type === 'time' ? 'TIME' : 'TEXT', help);
  }
}

function helpOf({ description, kind, defaultValue }: Parameter): string {
  const choices =
    kind.type === 'time' ? '2026-11-20, or 7d for an age' : kind.type === 'word' ? kind.words.join(', ') : '';
  return helpWith(description, choices, defaultValue === undefined ? '' : ` (default ${defaultValue})`);
}

/** A hundred years; nothing here is older, and JavaScript dates have a limit. */
const oldestAgeMs = 36_500 * 24 * 60 * 60 * 1000;

/**
 * Converts a typed time to ISO-8601 with a zone. An age is subtracted from now. A date means its first moment, or its
 * last one at the end of a range, which includes both ends.
 */
export function timeValue(name: string, text: string, { nowMs, timeZone }: TimeOptions): string {
  const ageMs = text === 'now' ? 0 : parseDuration(text);
  if (ageMs !== undefined && ageMs <= oldestAgeMs) return new Date(nowMs - ageMs).toISOString();
  const written = zonedTime(text, timeZone, name.endsWith('End') ? lastOfDay : undefined);
  if (timeParameter.safeParse(written).success) return written;
  throw new Failure(
    'usage',
    `--${kebabCase(name)}: '${text}' is not a time`,
    'write ISO-8601 (2026-11-20T09:00:00+09:00), a date (2026-11-20), an age (7d, 24h), or now',
  );
}
