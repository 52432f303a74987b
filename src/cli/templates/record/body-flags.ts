import * as z from 'zod';
import type { Json } from '../../../base/json.ts';
import { zonedTime } from '../../../base/korean-time.ts';
import { camelCase, kebabCase } from '../../../base/name-case.ts';
import { timeParameter } from '../../../contract/query-codecs.ts';
import { helpWith } from '../../flags/flag-choices.ts';
import {
  booleanValue,
  type Flag,
  type FlagSet,
  groupFlags,
  textValue,
  valueFlag,
  wordValue,
} from '../../flags/flags.ts';

/** The part of a JSON Schema that is read here. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: Json;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
}

/** A field of a body that has a flag of its own. */
export interface BodyField {
  /** The document's name, dotted for nested objects: `shipment.trackingNumber`. */
  readonly path: string;
  /** The name of the flag, in camel case: `shipmentTrackingNumber`. */
  readonly flag: string;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly shape: Shape;
}

/** The fields of a body in the document's order. Nested objects are split into their fields; a list is one field. */
export function bodyFields(body: z.ZodObject): readonly BodyField[] {
  return fieldsIn(z.toJSONSchema(body, { io: 'input' }) as Shape, []);
}

function fieldsIn({ properties = {}, required = [] }: Shape, parents: readonly string[]): BodyField[] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const path = [...parents, name];
    if (shape.type === 'object') return fieldsIn(shape, path);
    const isNullable = Array.isArray(shape.type) && shape.type.includes('null');
    const isRequired = parents.length === 0 && required.includes(name);
    return [
      { path: path.join('.'), flag: camelCase(kebabCase(path.join('-'))), isNullable, isRequired, shape },
    ];
  });
}

/** One flag for each field. An update shows no defaults, because it changes only the fields that are set. */
export function bodyFlags(
  fields: readonly BodyField[],
  { isUpdate }: { readonly isUpdate: boolean },
): FlagSet {
  const flags = fields.map((field) => [field.flag, flagOf(field, isUpdate)] as const);
  return groupFlags('Fields', Object.fromEntries(flags));
}

/**
 * The body from the flags. Unset fields are omitted, so that the service's own defaults apply. Times without a zone are
 * in `timeZone`, as in files.
 */
export function bodyOfFlags(
  fields: readonly BodyField[],
  flags: Readonly<Record<string, unknown>>,
  timeZone: string,
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = flags[field.flag];
    if (value === undefined) continue;
    const isTimeText = typeof value === 'string' && isTime(field);
    put(body, field.path.split('.'), isTimeText ? zonedTime(value, timeZone) : value);
  }
  return body;
}

function put(object: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  const inner = (object[name] ?? {}) as Record<string, unknown>;
  object[name] = inner;
  put(inner, rest, value);
}

/** A field as typed: `--shipment-tracking-number` for `shipmentTrackingNumber`. */
export function typedName({ flag }: Pick<BodyField, 'flag'>): string {
  return `--${kebabCase(flag)}`;
}

function flagOf(field: BodyField, isUpdate: boolean): Flag<unknown> {
  const { shape, isNullable } = field;
  const help = helpOf(field, isUpdate);
  if (shape.enum !== undefined) {
    const words = wordValue(shape.enum as readonly [string, ...string[]]);
    return valueFlag(words, 'WORD', help);
  }
  switch (shape.type) {
    case 'array':
      return listOf(shape.items ?? {}, help);
    case 'boolean':
      return valueFlag(booleanValue, 'true|false', help);
    case 'integer':
      return valueFlag(() => numberValue().pipe(z.int('expected a whole number')), 'N', help);
    case 'number':
      return valueFlag(numberValue, 'N', help);
    default:
      if (isTime(field)) return valueFlag(timeText, 'TIME', help);
      return isNullable ? valueFlag(textOrNull, 'TEXT|null', help) : valueFlag(textValue, 'TEXT', help);
  }
}

function isTime({ shape, path }: BodyField): boolean {
  return shape.format === 'date-time' || path.endsWith('At');
}

function helpOf({ shape, isRequired }: BodyField, isUpdate: boolean): string {
  const { description = '', enum: words = [], default: defaultValue } = shape;
  const initial = defaultValue === undefined || isUpdate ? '' : ` (default ${JSON.stringify(defaultValue)})`;
  return helpWith(description, words.join(', '), isRequired ? ' (required)' : initial);
}

const textOrNull = () => z.string().transform((text) => (text === 'null' ? null : text));

/** A typed time. The document types some times as text, so the schema of the body accepts any. */
const timeText = () =>
  z
    .string()
    .refine(
      (text) => timeParameter.safeParse(zonedTime(text)).success,
      'expected a time, such as 2026-11-20 or 2026-11-20T09:00:00+09:00',
    );

/** The digits that a JSON number carries without loss. */
export const exactDigits = 15;

const numberValue = () =>
  z
    .string()
    .refine(
      (text) => /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= exactDigits,
      `expected a number of at most ${exactDigits} digits, with a point before decimals`,
    )
    .transform(Number);

/** A list flag: an element is typed as plain text if its shape allows it, and always as JSON. */
function listOf(element: Shape, help: string): Flag<unknown> {
  const names = typedNames(element);
  const forms = [...(names.length === 0 ? [] : [names.map(constantCase).join('=')]), 'JSON'];
  const elements = () =>
    z.array(z.string()).transform((texts, context) =>
      texts.flatMap((text) => {
        const typed = /^\s*[[{]/.test(text) ? jsonElements(text) : elementOf(text, names);
        if (typed !== undefined) return typed;
        context.addIssue({ code: 'custom', message: `expected ${forms.join(', or ')}` });
        return z.NEVER;
      }),
    );
  return { ...valueFlag(elements, forms.join('|'), `${help}; repeatable`), isRepeatable: true };
}

/** The fields of an element that plain text sets: its one required field, or both of two fields; else none. */
function typedNames({ properties = {}, required = [] }: Shape): readonly string[] {
  const isPair = required.length === 2 && Object.keys(properties).length === 2;
  return isPair || required.length === 1 ? required : [];
}

/** The element in `TEXT`, or in `NAME=VALUE` for two names; undefined if there is none. */
function elementOf(text: string, [first, second]: readonly string[]): unknown {
  const end = second === undefined ? text.length : text.indexOf('=');
  if (first === undefined || end < 1) return undefined;
  const element = { [first]: text.slice(0, end) };
  return second === undefined ? element : { ...element, [second]: text.slice(end + 1) };
}

/** Converts `originId` to its placeholder in the help, `ORIGIN_ID`. */
function constantCase(name: string): string {
  return kebabCase(name).replaceAll('-', '_').toUpperCase();
}

function jsonElements(text: string): readonly unknown[] | undefined {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return undefined;
  }
}
