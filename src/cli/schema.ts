import * as z from 'zod';
import { Failure } from '../base/failure.ts';
import { resources } from '../contract/resources.ts';
import {
  categoryRecords,
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../input/record-kinds.ts';
import { recordSchema } from '../input/record-schema.ts';
import { writeOutput } from '../output/streams.ts';
import { outcomeWords } from '../push/outcome.ts';
import { defineCommand } from './command.ts';

const dialect = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string' };
const count = { type: 'integer', minimum: 1 };

/** One line that a push prints. */
const outcomeSchema = {
  type: 'object',
  properties: {
    file: text,
    line: count,
    originId: text,
    outcome: { enum: outcomeWords },
    id: text,
    jobId: text,
    changes: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { from: {}, to: {} },
        required: ['from', 'to'],
      },
    },
    error: text,
  },
  required: ['file', 'line', 'originId', 'outcome'],
};

/** One line that `reviews show` and `reviews hide` print. */
const reviewOutcomeSchema = {
  type: 'object',
  properties: { id: text, outcome: { enum: ['updated', 'rejected', 'failed'] }, error: text, hint: text },
  required: ['id', 'outcome'],
};

/** What `--dry-run` of a single write prints. */
const requestSchema = {
  type: 'object',
  properties: { method: { enum: ['GET', 'POST', 'PATCH', 'PUT'] }, path: text, body: {} },
  required: ['method', 'path'],
};

/** One line of stderr with `--log-format json`, or with an explicit `-o json` or `-o ndjson`. */
const errorSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: text,
        message: text,
        hint: text,
        status: { type: 'integer' },
        operation: text,
        file: text,
        line: count,
        column: text,
        value: text,
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};

/** What goes into a push, and what comes out of lists and pushes; by the names of their commands and of the document. */
const schemas: Readonly<Record<string, () => object>> = {
  products: () => recordSchema(productRecords),
  categories: () => recordSchema(categoryRecords),
  orders: () => recordSchema(orderItemRecords),
  'order-items': () => recordSchema(orderItemUpdateRecords),
  ...Object.fromEntries(
    Object.entries(resources).map(([name, resource]) => [
      resourceName(name),
      () => z.toJSONSchema(resource, { io: 'output' }),
    ]),
  ),
  outcome: () => outcomeSchema,
  'review-outcome': () => reviewOutcomeSchema,
  request: () => requestSchema,
  error: () => errorSchema,
};

export const schema = defineCommand({
  argument: {
    term: '[name]',
    help: 'whose schema; the names are listed without it',
    choices: Object.keys(schemas),
  },
  flags: {},
  examples: ['reviewctl schema', 'reviewctl schema orders', 'reviewctl schema review > review.schema.json'],
  exitCodes: [],
  run: async ({ context, args: [name] }) => {
    await writeOutput(
      context.streams,
      name === undefined ? `${Object.keys(schemas).join('\n')}\n` : schemaText(name),
    );
    return 0;
  },
});

/** @throws Failure('usage') for a name there is none of. */
function schemaText(name: string): string {
  const make = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (make === undefined) {
    throw new Failure('usage', `there is no schema '${name}'`, `schemas: ${Object.keys(schemas).join(', ')}`);
  }
  return `${JSON.stringify({ $schema: dialect, title: name, ...make() }, null, 2)}\n`;
}

/** `OrderItem` and `Product group` as commands write them: `order-item`, `product-group`. */
function resourceName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])| /g, '-').toLowerCase();
}
