import * as z from 'zod';
import { Failure } from '../../base/failure.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { writtenForm } from '../../contract/reply-forms.ts';
import { resources } from '../../contract/resources.ts';
import {
  categoryRecords,
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../../input/records/record-kinds.ts';
import { recordSchema } from '../../input/records/record-schema.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { defineCommand } from '../runtime/command.ts';
import { printedRecords } from './printed-records.ts';

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Schemas of pushed records by command name, of replies by document name, and of other printed records. */
const schemas: Readonly<Record<string, () => object>> = {
  products: () => recordSchema(productRecords),
  categories: () => recordSchema(categoryRecords),
  orders: () => recordSchema(orderItemRecords),
  'order-items': () => recordSchema(orderItemUpdateRecords),
  ...Object.fromEntries(
    Object.entries(resources).map(([name, resource]) => [
      resourceName(name),
      () => z.toJSONSchema(writtenForm(resource)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(printedRecords).map(([name, record]) => [name, () => z.toJSONSchema(record)]),
  ),
};

export const schema = defineCommand({
  argument: {
    term: '[name]',
    help: 'name of the schema (default: list the names)',
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
    const names = Object.keys(schemas);
    const meant = nearestName(name, names);
    throw new Failure(
      'usage',
      `no schema is named '${name}'`,
      `${meant === undefined ? '' : `did you mean ${meant}? `}schemas: ${names.join(', ')}`,
    );
  }
  return `${JSON.stringify({ $schema: dialect, title: name, ...make() }, null, 2)}\n`;
}

/** `OrderItem` and `Product group` as commands write them: `order-item`, `product-group`. */
function resourceName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])| /g, '-').toLowerCase();
}
