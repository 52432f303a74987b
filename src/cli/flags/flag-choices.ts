import * as z from 'zod';
import type { Json } from '../../base/json.ts';

/** A part of a value in JSON Schema. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: Json;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
}

/** The words a flag takes, as far as they are few and known; none for a switch. */
export function choicesOf({
  schema,
  value,
}: {
  readonly schema: z.ZodType;
  readonly value: string | undefined;
}): readonly string[] {
  if (value === undefined) return [];
  return [...new Set(wordsOf(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Shape))];
}

function wordsOf({ type, enum: words = [], const: word, anyOf = [], items }: Shape): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  const inside = [...anyOf, ...(items === undefined ? [] : [items])];
  return [...words, ...(typeof word === 'string' ? [word] : []), ...inside.flatMap(wordsOf)];
}
