import * as z from 'zod';
import { Failure } from '../../base/failure.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { openApiDocument } from '../../contract/openapi.ts';
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
import { defineCommand, type Program } from '../runtime/command.ts';
import { printedRecords } from './printed-records.ts';

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** What is no schema of records but the commands themselves, whose schema is `command-list`, or the whole API. */
const commandsWord = 'commands';
const openApiWord = 'openapi';

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
    help: 'name of the schema; or commands: every command and its flags; or openapi: the API (default: list the names)',
    choices: [commandsWord, openApiWord, ...Object.keys(schemas)],
  },
  flags: {},
  examples: [
    'reviewctl schema',
    'reviewctl schema orders',
    'reviewctl schema review > review.schema.json',
    'reviewctl schema openapi > openapi.json',
    'reviewctl schema commands | jq \'.commands[] | select(.writes == "service").words\'',
  ],
  exitCodes: [],
  run: async ({ context, args: [name], program }) => {
    const text =
      name === undefined
        ? Object.keys(schemas).join('\n')
        : JSON.stringify(await documentNamed(name, program), null, 2);
    await writeOutput(context.streams, `${text}\n`);
    return 0;
  },
});

async function documentNamed(name: string, program: Program): Promise<object> {
  if (name === commandsWord) return program.commandList();
  return name === openApiWord ? openApiDocument() : schemaNamed(name);
}

/** @throws Failure('usage') for a name there is none of. */
function schemaNamed(name: string): object {
  const make = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (make === undefined) {
    const names = [...Object.keys(schemas), commandsWord, openApiWord];
    const meant = nearestName(name, names);
    throw new Failure(
      'usage',
      `no schema is named '${name}'`,
      `${meant === undefined ? '' : `did you mean ${meant}? `}schemas: ${names.join(', ')}`,
    );
  }
  return { $schema: dialect, title: name, ...make() };
}

/** `OrderItem` and `Product group` as commands write them: `order-item`, `product-group`. */
function resourceName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])| /g, '-').toLowerCase();
}
