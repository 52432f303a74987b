import { orderItemStatuses } from '../../contract/states.ts';
import type { Field, FieldType } from './field.ts';
import type { RecordKind } from './record-kinds.ts';

/**
 * The JSON Schema of one record of a JSON or NDJSON file, nested as in the document. Files may also write nested fields
 * with dots, and numbers as text; the schema shows the simplest form.
 */
export function recordSchema({ fields }: RecordKind) {
  const groups = new Set(fields.flatMap(({ path }) => (path.includes('.') ? path.split('.', 1) : [])));
  const nested = [...groups].map((group) => {
    const prefix = `${group}.`;
    const inner = fields.filter(({ path }) => path.startsWith(prefix));
    return [group, schemaOf(inner.map((field) => ({ ...field, path: field.path.slice(prefix.length) })))];
  });
  const own = schemaOf(fields.filter(({ path }) => !path.includes('.')));
  return { ...own, properties: { ...own.properties, ...Object.fromEntries(nested) } };
}

function schemaOf(fields: readonly Field[]) {
  return objectSchema(
    Object.fromEntries(fields.map((field) => [field.path, fieldSchema(field)])),
    fields.filter(({ isRequired }) => isRequired).map(({ path }) => path),
  );
}

function objectSchema(properties: Readonly<Record<string, object>>, required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false };
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
    items: objectSchema({ originId: id, isPrimary: { type: 'boolean' } }, ['originId']),
  },
  selectedOptions: {
    type: 'array',
    items: objectSchema({ name: text, value: text }, ['name', 'value']),
  },
};
