import * as z from 'zod';

/**
 * All fields of a resource in the document's order: the columns of CSV output and the names for `--fields`. Nested
 * fields have dots (`image.url`); a list is one field.
 */
export function documentColumns(schema: z.ZodObject, prefix = ''): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const inner = withoutWrappers(field);
    return inner instanceof z.ZodObject ? documentColumns(inner, `${prefix}${name}.`) : [prefix + name];
  });
}

function withoutWrappers(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return withoutWrappers(schema.unwrap());
  }
  return schema instanceof z.ZodCodec ? withoutWrappers(schema.out) : schema;
}
