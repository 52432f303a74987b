import * as z from 'zod';
import type { Operation } from '../../src/contract/operations.ts';
import type { DocumentedInput } from './api-document.ts';
import type { Contract } from './contract.ts';
import { lineOfInput, linesOfWords } from './lines.ts';
import { oncePer } from './once.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Writes the contract in the same lines as the document, block by block. */
export function blocksOfContract(contract: Contract): string[] {
  return [
    `path prefix: ${contract.pathPrefix}`,
    ...Object.values(contract.documented).map(blockOfOperation),
    ...Object.entries(contract.resources).map(([name, schema]) => blockOfRead(name, schema)),
    ...linesOfWords('state', contract.states),
    ...linesOfWords('observed', contract.observedValues),
    ...Object.entries(contract.limits).map(([name, value]) => `limit ${name}: ${value}`),
  ];
}

const blockOfOperation = oncePer((row: Operation): string => {
  const { number = 0, method, path, purpose, query, body, reply } = row;
  const entry = body instanceof z.ZodArray ? body.element : body;
  return [
    `${number}: ${method} ${path}, ${purpose}`,
    ...(query === undefined ? [] : linesOfInputs(`${number} query`, query)),
    `${number} body: ${body === undefined ? 'none' : bodyKindOf(body)}`,
    ...(entry instanceof z.ZodObject ? linesOfInputs(`${number} body`, entry) : []),
    blockOfRead(`${number} reply`, reply),
  ].join('\n');
});

function blockOfRead(path: string, schema: z.ZodType): string {
  return linesOfRead(schema)
    .map((line) => path + line)
    .join('\n');
}

function bodyKindOf(body: z.ZodType): string {
  const { type, maxItems } = jsonSchemaOf(body, 'input');
  return maxItems === undefined ? String(type) : `${String(type)} of at most ${maxItems}`;
}

/** Types are those of decoded values; required marks are those of the input. */
function linesOfInputs(path: string, inputs: z.ZodObject): string[] {
  const { properties = {}, additionalProperties } = jsonSchemaOf(inputs, 'output');
  const { required = [] } = jsonSchemaOf(inputs, 'input');
  const isClosed = additionalProperties === false;
  return [
    ...(isClosed ? [] : [`${path}: takes fields the document does not show`]),
    ...Object.entries(properties).map(([name, property]) => {
      const { schema, isNullable } = withoutNull(isSchema(property) ? property : {});
      const { enum: values = [], default: byDefault, maximum } = schema;
      return `${path} ${lineOfInput({
        name,
        type: isTime(inputs.shape[name]) ? 'time' : inputTypeOf(schema),
        values: values.map(String),
        default: byDefault === undefined ? undefined : JSON.stringify(byDefault).replaceAll('"', ''),
        maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
        isRequired: required.includes(name),
        isNullable,
      })}`;
    }),
  ];
}

/** Determined by examples, because JSON Schema describes a checked text only as "string". */
function isTime(input: z.core.$ZodType | undefined): boolean {
  if (input === undefined) return false;
  return (
    z.safeParse(input, '2019-08-24T14:15:22Z').success && !z.safeParse(input, 'once upon a time').success
  );
}

function inputTypeOf({ type }: JsonSchema): DocumentedInput['type'] {
  if (type === 'array') return 'list';
  if (type === 'object' || type === 'boolean' || type === 'integer' || type === 'number') return type;
  return 'string';
}

/** Lines of a reply's decoded fields. Each begins with the path inside the schema. */
const linesOfRead = oncePer((schema: z.ZodType) => linesOfSchema('', jsonSchemaOf(schema, 'output')));

function linesOfSchema(path: string, nullable: JsonSchema): string[] {
  const { schema } = withoutNull(nullable);
  if (schema.type === 'array') return isSchema(schema.items) ? linesOfSchema(`${path}[]`, schema.items) : [];
  if (schema.type !== 'object') return [`${path}: ${readTypeOf(schema)}`];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    isSchema(property) ? linesOfSchema(`${path}.${name}`, property) : [],
  );
}

/** An amount is a number in the document, and an exact decimal in text in the contract. */
function readTypeOf({ type, pattern }: JsonSchema): string {
  return type === 'string' && pattern !== undefined ? 'number' : String(type);
}

function withoutNull(schema: JsonSchema): { schema: JsonSchema; isNullable: boolean } {
  const [first, second] = schema.anyOf ?? [];
  if (first !== undefined && second?.type === 'null') return { schema: first, isNullable: true };
  if (!Array.isArray(schema.type)) return { schema, isNullable: false };
  const [type] = schema.type.filter((candidate) => candidate !== 'null');
  return { schema: { ...schema, ...(type === undefined ? {} : { type }) }, isNullable: true };
}

function isSchema(schema: JsonSchema | boolean | readonly unknown[] | undefined): schema is JsonSchema {
  return typeof schema === 'object' && !Array.isArray(schema);
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io });
}
