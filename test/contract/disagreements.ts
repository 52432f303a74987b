import * as z from 'zod';
import type { Operation } from '../../src/contract/operations.ts';
import type { Contract } from './contract.ts';
import type {
  ApiDocument,
  DocumentedField,
  DocumentedInput,
  DocumentedOperation,
  Shape,
} from './document.ts';
import { oncePer } from './once.ts';

/*
 * Contract and document are both written down as the same plain lines, `14 body: array of at most 100` or
 * `Order.buyer.phone: string`, and the lines compared. What one side says in other words, more or in another order
 * is a disagreement.
 */

/** Every point on which the contract and the document differ; none when they say the same. */
export function disagreements(contract: Contract, document: ApiDocument): string[] {
  const ours = blocksOfContract(contract);
  const theirs = blocksOfDocument(document);
  const ourLines = linesOnlyIn(ours, theirs);
  const theirLines = linesOnlyIn(theirs, ours);
  const differences = [
    ...theirLines.filter((line) => !ourLines.includes(line)).map((line) => `only in the document: ${line}`),
    ...ourLines.filter((line) => !theirLines.includes(line)).map((line) => `only in the contract: ${line}`),
  ];
  const isInOrder = ours.join() === theirs.join();
  return differences.length > 0 || isInOrder ? differences : [`in another order: ${ourLines.join(', ')}`];
}

/** A block holds the lines of one operation, resource or the like; nearly all are the same on both sides. */
function linesOnlyIn(blocks: readonly string[], others: readonly string[]): string[] {
  const same = new Set(others);
  return blocks.filter((block) => !same.has(block)).flatMap((block) => block.split('\n'));
}

/* The document in lines */

const blocksOfDocument = oncePer((document: ApiDocument): string[] => [
  `path prefix: ${document.pathPrefix}`,
  ...document.operations.map((operation) => linesOfDocumented(operation, document).join('\n')),
  ...Object.entries(document.resources).map(([name, fields]) =>
    linesOfFields(name, fields, document).join('\n'),
  ),
  ...linesOfWords('state', document.states),
  // The document shows one value for more fields than the contract has a use for.
  ...linesOfWords(
    'observed',
    pickKeys(document.observedValues, ['Review.uploadFrom', 'Reward.reviewCategory']),
  ),
  ...Object.entries(document.limits).map(([name, value]) => `limit ${name}: ${value}`),
]);

function linesOfDocumented(operation: DocumentedOperation, document: ApiDocument): string[] {
  const { number, method, path, purpose, query, body, reply } = operation;
  const entriesMaximum = body?.entriesMaximum === undefined ? '' : ` of at most ${body.entriesMaximum}`;
  return [
    `${number}: ${method} ${path}, ${purpose}`,
    ...query.map((input) => `${number} query ${lineOfInput(input)}`),
    `${number} body: ${body === undefined ? 'none' : body.isBulk ? `array${entriesMaximum}` : 'object'}`,
    ...(body?.fields ?? []).map((input) => `${number} body ${lineOfInput(input)}`),
    ...linesOfReply(reply, `${number} reply`, document),
  ];
}

function linesOfReply(
  { kind, resource }: DocumentedOperation['reply'],
  path: string,
  document: ApiDocument,
): string[] {
  const shape: Shape = { kind: 'resource', name: resource };
  if (kind === 'one') return linesOfShape(path, shape, document);
  if (kind === 'array') return linesOfShape(path, { kind: 'list', element: shape }, document);
  const records: DocumentedField = { name: 'data', shape: { kind: 'list', element: shape } };
  return linesOfFields(
    path,
    document.envelope.map((field) => (field.name === 'data' ? records : field)),
    document,
  );
}

function linesOfFields(path: string, fields: readonly DocumentedField[], document: ApiDocument): string[] {
  return fields.flatMap(({ name, shape }) => linesOfShape(`${path}.${name}`, shape, document));
}

function linesOfShape(path: string, shape: Shape, document: ApiDocument): string[] {
  switch (shape.kind) {
    case 'scalar':
      return [`${path}: ${shape.type}`];
    case 'list':
      return linesOfShape(`${path}[]`, shape.element, document);
    case 'object':
      return linesOfFields(path, shape.fields, document);
    case 'resource':
      return linesOfFields(path, document.resources[shape.name] ?? [], document);
  }
}

/* The contract in lines */

type JsonSchema = z.core.JSONSchema.JSONSchema;

function blocksOfContract(contract: Contract): string[] {
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

/** Types are those of the values inside the program, required marks are of what the caller must give. */
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

/** Told by what it takes and refuses: a JSON schema says no more than "string" of a checked text. */
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

/** What is read, each line beginning with the path inside the schema. */
const linesOfRead = oncePer((schema: z.ZodType) => linesOfSchema('', jsonSchemaOf(schema, 'output')));

function linesOfSchema(path: string, nullable: JsonSchema): string[] {
  const { schema } = withoutNull(nullable);
  if (schema.type === 'array') return isSchema(schema.items) ? linesOfSchema(`${path}[]`, schema.items) : [];
  if (schema.type !== 'object') return [`${path}: ${readTypeOf(schema)}`];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    isSchema(property) ? linesOfSchema(`${path}.${name}`, property) : [],
  );
}

/** An amount is a number to the document and an exact decimal in text to the contract. */
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

/* Both */

function lineOfInput(input: DocumentedInput): string {
  const marks = [
    input.values.length > 0 ? `one of ${input.values.join(' ')}` : input.type,
    ...(input.isRequired ? ['required'] : []),
    ...(input.isNullable ? ['may be null'] : []),
    ...(input.default === undefined ? [] : [`default ${input.default}`]),
    ...(input.maximum === undefined ? [] : [`maximum ${input.maximum}`]),
  ];
  return `${input.name}: ${marks.join(', ')}`;
}

function linesOfWords(kind: string, words: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(words).map(([name, values]) => `${kind} ${name}: ${values.join(' ')}`);
}

function pickKeys<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)));
}
