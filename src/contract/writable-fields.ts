import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { type Operation, type OperationName, operations } from './operations.ts';

/**
 * Selects the fields of `record` that the body of an operation accepts, including nested ones. `record` has the shape
 * of the body.
 */
export function writableFields(name: OperationName, record: JsonObject): JsonObject {
  const { body }: Operation = operations[name];
  const fields = body instanceof z.ZodObject ? fieldsOf(body, record) : undefined;
  return isJsonObject(fields) ? fields : {};
}

function fieldsOf(schema: z.ZodType, value: Json | undefined): Json | undefined {
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((one: Json) => fieldsOf(schema.element as z.ZodType, one) ?? null);
  if (!(schema instanceof z.ZodObject) || !isJsonObject(value)) return value;
  const names = Object.keys(schema.shape);
  return Object.fromEntries(names.map((name) => [name, fieldsOf(schema.shape[name], value[name])]));
}
