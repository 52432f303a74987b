import { orderItemStatuses } from '../../contract/states.ts';
import type { Field, FieldType } from './field.ts';
import type { RecordKind } from './record-kinds.ts';

/** The subset of JSON Schema that records use. */
interface RecordSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

/**
 * The JSON Schema of one record of a JSON or NDJSON file, nested as in the document. Files may also write nested fields
 * with dots, and numbers as text; the schema shows the simplest form.
 */
export function recordSchema({ fields }: RecordKind): RecordSchema {
  const properties: Record<string, object> = {};
  const nested = new Map<string, Field[]>();
  for (const field of fields) {
    const [name = '', rest] = field.path.split('.');
    if (rest === undefined) properties[name] = fieldSchema(field);
    else nested.set(name, [...(nested.get(name) ?? []), { ...field, path: rest }]);
  }
  for (const [name, inner] of nested) properties[name] = objectSchema(inner);
  return { ...objectSchema(fields.filter(({ path }) => !path.includes('.'))), properties };
}

function objectSchema(fields: readonly Field[]): RecordSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.path, fieldSchema(field)])),
    required: fields.filter(({ isRequired }) => isRequired).map(({ path }) => path),
    additionalProperties: false,
  };
}

function fieldSchema({ type, isNullable }: Field): object {
  const schema = schemaOfType[type];
  return isNullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

const text = { type: 'string' };
const id = { type: 'string', minLength: 1 };

const schemaOfType: Readonly<Record<FieldType, object>> = {
  id,
  text,
  memberId: id,
  phone: id,
  email: text,
  carrier: id,
  trackingNumber: id,
  imageUrl: { type: 'string', format: 'uri' },
  money: { type: 'number' },
  dateTime: { type: 'string', format: 'date-time' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  status: { enum: orderItemStatuses },
  categories: {
    type: 'array',
    items: {
      type: 'object',
      properties: { originId: id, isPrimary: { type: 'boolean' } },
      required: ['originId'],
      additionalProperties: false,
    },
  },
  selectedOptions: {
    type: 'array',
    items: {
      type: 'object',
      properties: { name: text, value: text },
      required: ['name', 'value'],
      additionalProperties: false,
    },
  },
};
