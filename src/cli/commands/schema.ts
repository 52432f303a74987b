import * as z from 'zod';
import { exitCodeOf, exitCodes, Failure, type FailureKind, retryOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import { writtenForm } from '../../contract/reply-forms.ts';
import { resources } from '../../contract/resources.ts';
import { recordSchema } from '../../input/records/field.ts';
import { problemCodes } from '../../input/records/problem.ts';
import {
  categoryRecords,
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../../input/records/record-kinds.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { defineCommand, type Program } from '../runtime/command.ts';
import { suggestion } from '../runtime/suggestion.ts';
import { printedRecords } from './printed-records.ts';

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Names that print something other than a JSON Schema: the commands, the API, the error codes. */
const commandsWord = 'commands';
const openApiWord = 'openapi';
const errorCodesWord = 'error-codes';

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

export const command = defineCommand({
  argument: {
    term: '[name...]',
    help: 'name of the schema; or commands [NOUN [VERB]], with their flags; or openapi, the API; or error-codes',
    choices: [commandsWord, openApiWord, errorCodesWord, ...Object.keys(schemas)],
  },
  flags: {},
  examples: [
    'reviewctl schema',
    'reviewctl schema orders',
    'reviewctl schema review > review.schema.json',
    'reviewctl schema openapi > openapi.json',
    'reviewctl schema commands orders push',
    'reviewctl schema commands | jq \'.commands[] | select(.writes == "service").words\'',
  ],
  run: async ({ context, args: [name, ...words], program }) => {
    const text =
      name === undefined
        ? Object.keys(schemas).join('\n')
        : JSON.stringify(await documentNamed(name, words, program), null, 2);
    await writeOutput(context.streams, `${text}\n`);
  },
});

async function documentNamed(name: string, words: readonly string[], program: Program): Promise<object> {
  if (name === commandsWord) return program.commandList(words);
  if (words.length > 0) throw new Failure('usage', `'${words.join(' ')}' is more than one name`, usage);
  if (name === errorCodesWord) return errorCodes();
  return name === openApiWord ? openApiDocument() : schemaNamed(name);
}

const usage = hint`for all names: ${reviewctl`schema`}`;

/** Every `code` of an error, with its meaning for the caller. */
function errorCodes(): object {
  const kinds = Object.keys(exitCodeOf) as FailureKind[];
  const entry = (code: string, kind: FailureKind) => {
    const exitCode = exitCodeOf[kind];
    return { code, exitCode, retry: retryOf(kind), meaning: exitCodes[exitCode] };
  };
  return [...kinds.map((kind) => entry(kind, kind)), ...problemCodes.map((code) => entry(code, 'input'))];
}

/** @throws Failure('usage') for an unknown name. */
function schemaNamed(name: string): object {
  const make = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (make === undefined) {
    const names = [...Object.keys(schemas), commandsWord, openApiWord, errorCodesWord];
    throw new Failure(
      'usage',
      `no schema is named '${name}'`,
      `${suggestion(name, names)}schemas: ${names.join(', ')}`,
    );
  }
  return { $schema: dialect, title: name, ...make() };
}

/** `OrderItem` and `Product group` in the spelling of commands: `order-item`, `product-group`. */
function resourceName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])| /g, '-').toLowerCase();
}
