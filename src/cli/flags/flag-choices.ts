import * as z from 'zod';
import type { Json } from '../../base/json.ts';

/** The part of a JSON Schema that is read here. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: Json;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
}

/** The type of a flag's value, as typed; `text` includes values with a syntax of their own, such as a duration. */
export type FlagType = 'boolean' | 'integer' | 'text';

interface TypedFlag {
  readonly schema: () => z.ZodType;
  readonly value: string | undefined;
}

/** The type of a flag's value. */
export function typeOf({ schema, value }: TypedFlag): FlagType {
  if (value === undefined) return 'boolean';
  const types = new Set(typesOf(shapeOf(schema())));
  const [type = ''] = types;
  return types.size === 1 && (type === 'boolean' || type === 'integer') ? type : 'text';
}

/** The words that a flag accepts, if they are few and known; none for a switch. */
export function choicesOf({ schema, value }: TypedFlag): readonly string[] {
  return value === undefined ? [] : [...new Set(wordsOf(shapeOf(schema())))];
}

function shapeOf(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Shape;
}

function typesOf({ type, anyOf, items }: Shape): readonly string[] {
  if (items !== undefined) return typesOf(items);
  return anyOf === undefined ? [type ?? ''] : anyOf.flatMap(typesOf);
}

function wordsOf({ type, enum: words = [], const: word, anyOf = [], items }: Shape): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  const inside = [...anyOf, ...(items === undefined ? [] : [items])];
  return [...words, ...(typeof word === 'string' ? [word] : []), ...inside.flatMap(wordsOf)];
}

/** The longest help of a flag that fits beside its name. */
export const helpMaximum = 50;

/** The help of a flag. It includes the choices if they fit; else the man page and `schema commands` list them. */
export function helpWith(description: string, choices: string, end: string): string {
  const whole = [description, choices].filter((part) => part !== '').join(': ') + end;
  return whole.length <= helpMaximum ? whole : description + end;
}
