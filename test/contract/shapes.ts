import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import {
  type ApiDocument,
  type DocumentedField,
  type DocumentedOperation,
  type Shape,
  shapeOfReply,
} from './api-document.ts';

/** Differences of a reply from the document: surplus and missing fields, and other positions or types. */
export function shapeDisagreements(
  document: ApiDocument,
  reply: DocumentedOperation['reply'],
  body: Json,
): string[] {
  return compare(document, shapeOfReply(reply, document), body, 'reply');
}

function compare(document: ApiDocument, shape: Shape, value: Json | undefined, path: string): string[] {
  if (value === null || value === undefined) return [];
  switch (shape.kind) {
    case 'scalar':
      return isOfType(shape.type, value)
        ? []
        : [`${path} is ${JSON.stringify(value)}, expected a ${shape.type}`];
    case 'list':
      if (!Array.isArray(value)) return [`${path} is no list`];
      return value.flatMap((element: Json) => compare(document, shape.element, element, `${path}[]`));
    case 'object':
    case 'resource': {
      const fields = shape.kind === 'object' ? shape.fields : (document.resources[shape.name] ?? []);
      return isJsonObject(value) ? compareFields(document, fields, value, path) : [`${path} is no object`];
    }
  }
}

function compareFields(
  document: ApiDocument,
  fields: readonly DocumentedField[],
  value: JsonObject,
  path: string,
): string[] {
  const expected = fields.map(({ name }) => name).join(' ');
  const actual = Object.keys(value).join(' ');
  return [
    ...(actual === expected ? [] : [`${path} has ${actual}, expected ${expected}`]),
    ...fields.flatMap((field) =>
      compare(document, replyShape(field), value[field.name], `${path}.${field.name}`),
    ),
  ];
}

/** In the document, one flag is a boolean on input and a string in replies. */
function replyShape({ name, shape }: DocumentedField): Shape {
  return name === 'isAlimtalkEnabled' ? { kind: 'scalar', type: 'string' } : shape;
}

/** In the document, the price of an item is a number on input and text in replies. */
function isOfType(type: string, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number')
    return typeof value === 'number' || (typeof value === 'string' && Number.isFinite(Number(value)));
  return typeof value === type;
}
