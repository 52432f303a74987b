import { orderItemStatuses } from '../../contract/states.ts';
import type { Refusal } from './cell.ts';

/** Determines how `cells/` parses a field. The rules of ids also apply to phones, carriers and tracking numbers. */
export type FieldType =
  | 'id'
  | 'text'
  | 'memberId'
  | 'phone'
  | 'email'
  | 'carrier'
  | 'trackingNumber'
  | 'imageUrl'
  | 'money'
  | 'dateTime'
  | 'boolean'
  | 'integer'
  | 'status'
  | 'categories'
  | 'selectedOptions';

/** A field of a record. `path` is its name in the API document, dotted if the field is nested. */
export interface Field {
  readonly path: string;
  readonly type: FieldType;
  readonly isRequired?: boolean;
  readonly isNullable?: boolean;
  /** True if it identifies a product by the shop's product key. */
  readonly isProductKey?: boolean;
  /** True if it is the service's id. Its only source is a column with exactly its name, beside one named `originId`. */
  readonly isServiceId?: boolean;
  /** True if it belongs to the order: it repeats on the rows of its items, or is blank on rows that continue one. */
  readonly isOfOrder?: boolean;
}

/** The field that identifies the order; undefined if records have none. */
export function orderFieldOf(fields: readonly Field[]): Field | undefined {
  return fields.find(({ isOfOrder }) => isOfOrder);
}

/** Why the valid value of a field conflicts with other records. */
export interface RecordConflict {
  readonly path: string;
  readonly refusal: Refusal;
}

/**
 * The JSON Schema of one record in a JSON or NDJSON file, nested as in the API document. Files may also write nested
 * fields with dots, and numbers as text; the schema shows the simplest form.
 */
export function recordSchema({ fields }: { readonly fields: readonly Field[] }) {
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
