import * as z from 'zod';
import { assumptionsSchema } from '../../contract/assumptions.ts';
import { type Flag, settings, valueFlag, wordValue } from './flags.ts';

/** A setting for each thing that the API document leaves open. Its value stays text, for plans and hints. */
export const serviceSettings = settings(
  'Service',
  Object.fromEntries(
    Object.entries(assumptionsSchema.shape).map(([name, schema]) => [name, settingOf(schema)]),
  ),
);

function settingOf(schema: z.ZodType): Flag<string | undefined> {
  const help = schema.description ?? '';
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  const value =
    inner instanceof z.ZodEnum ? wordValue(inner.options.map(String) as [string]) : textBy(schema);
  return valueFlag(value.optional(), { help });
}

/** Text that `schema` reads; a list of a file counts as its words with commas between them. */
function textBy(schema: z.ZodType) {
  return z
    .union([z.string(), z.number().transform(String), z.array(z.string()).transform(String)])
    .refine((text) => schema.safeParse(assumptionValue(schema, text)).success, {
      error: ({ input }) => faultOf(schema, String(input)),
    });
}

function faultOf(schema: z.ZodType, text: string): string {
  const { error } = schema.safeParse(assumptionValue(schema, text));
  return error?.issues[0]?.message ?? 'is not valid';
}

/** The value that the text of an assumption stands for. */
export function assumptionValue(schema: z.ZodType, text: string): unknown {
  if (schema.safeParse([]).success) return text.split(',');
  return schema.safeParse(1).success ? Number(text) : text;
}
