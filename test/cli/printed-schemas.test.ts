import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { allSurfaces } from '../../src/cli/help/find-surface.ts';
import type { Assumptions } from '../../src/contract/assumptions.ts';
import {
  type Commands,
  otherCommands,
  ownCommands,
  type Printed,
  recordsIn,
  serviceCommands,
} from './every-command.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { runInProcess } from './run-program.ts';

/*
 * Checks the output of commands against `reviewctl schema`, by a validator that shares no code with the program, under
 * every form of replies in the assumptions.
 */

const everyForm: Partial<Assumptions> = {
  paidPriceReply: 'number',
  isAlimtalkEnabledReply: 'boolean',
  imageUrlReply: 'rehosted',
  emptyFields: 'missing',
  replyScalars: 'swapped',
};

const replyForms: Readonly<Record<string, Partial<Assumptions>>> = {
  'as documented': {},
  'with paidPrice as a number': { paidPriceReply: 'number' },
  'with isAlimtalkEnabled as a boolean': { isAlimtalkEnabledReply: 'boolean' },
  'with rehosted images': { imageUrlReply: 'rehosted' },
  'with empty fields missing': { emptyFields: 'missing' },
  'with numbers as text and digits as numbers': { replyScalars: 'swapped' },
  'in every other form at once': everyForm,
};

const validators = new Map<string, Promise<ValidateFunction>>();

/** A validator for the schema that the program prints. */
function validatorOf(name: string): Promise<ValidateFunction> {
  const compile = async () => {
    const { stdout } = await runInProcess(`schema ${name}`);
    // Each format has an equivalent pattern beside it.
    return new Ajv2020({ validateFormats: false, allErrors: true, strictTypes: false }).compile(
      JSON.parse(stdout),
    );
  };
  const validator = validators.get(name) ?? compile();
  validators.set(name, validator);
  return validator;
}

/** Runs each command, and returns all output that does not fit its schema. */
async function faultsOf(commands: Commands, assumptions: Partial<Assumptions>, format: 'ndjson' | 'json') {
  const shop = await openLedgerShop({ assumptions });
  const faults: unknown[] = [];
  for (const [command, [schema, print]] of Object.entries(commands)) {
    const validate = await validatorOf(schema);
    let isPrinted = false;
    await print(async (line, stdin = '') => {
      const { stdout, stderr } = await shop.run(`${line} -o ${format}`, { stdin });
      const records = recordsIn(stdout, format);
      if (records.length === 0) faults.push({ line, stderr });
      if (!line.startsWith(command)) return records;
      isPrinted = true;
      for (const record of records) {
        if (!validate(record)) faults.push({ line, record, errors: validate.errors });
        const [field = ''] = Object.keys(record);
        const others = [[record], { ...record, [field]: {} }];
        if (others.some((other) => validate(other))) faults.push({ line, record, takes: 'others, too' });
      }
      return records;
    }, shop);
    if (!isPrinted) faults.push({ command, isPrinted });
  }
  return faults;
}

it.each(Object.entries(replyForms))(
  'records of the service fit their schemas, %s',
  async (_, assumptions) => {
    expect(await faultsOf(serviceCommands, assumptions, 'ndjson')).toEqual([]);
  },
);

// JSON prints the same records as NDJSON, so one form is enough.
it('records of the service fit their schemas as JSON, in every other form at once', async () => {
  expect(await faultsOf(serviceCommands, everyForm, 'json')).toEqual([]);
});

it('records of our own fit their schemas as JSON', async () => {
  expect(await faultsOf(ownCommands, {}, 'json')).toEqual([]);
});

it('records of our own fit their schemas whatever the form of the replies they are made of', async () => {
  expect(await faultsOf(ownCommands, everyForm, 'ndjson')).toEqual([]);
});

it('no command that prints records is left out', async () => {
  const surfaces = await allSurfaces();
  const printing = surfaces
    .filter((surface) => surface.flags.some(({ name }) => name === 'output'))
    .map(({ words }) => words);
  const known = [serviceCommands, ownCommands, otherCommands].flatMap((table) => Object.keys(table));
  expect(printing.toSorted()).toEqual(known.toSorted());
});

it('the list of commands names the schema of what each prints', async () => {
  const { stdout } = await runInProcess('schema commands');
  const { commands } = JSON.parse(stdout) as { commands: readonly { words: string; prints?: string }[] };
  const named = commands.flatMap(({ words, prints }) => (prints === undefined ? [] : [[words, prints]]));
  const known = [serviceCommands, ownCommands].flatMap((table) => Object.entries(table));
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(known.map(([words, [name]]) => [words, name])),
  );
});

it('the list of commands says of each command what the help and its code do', async () => {
  const { stdout } = await runInProcess('schema commands');
  const list: Printed = JSON.parse(stdout);
  const push = list.commands.find(({ words }: Printed) => words === 'orders push');
  expect(push).toMatchObject({
    writes: 'service',
    arguments: [{ name: 'file', isRepeatable: true }],
    exitCodes: expect.arrayContaining([0, 2, 3, 11]),
  });
  const flags = Object.fromEntries(push.flags.map((flag: Printed) => [flag.name, flag]));
  expect(flags).toMatchObject({
    'dry-run': { type: 'boolean', short: 'n' },
    output: { type: 'text', choices: expect.arrayContaining(['ndjson']) },
    wait: { bare: expect.any(String) },
  });
  expect(push.settings).toContain('retries');
  const settings = Object.fromEntries(list.settings.map((setting: Printed) => [setting.name, setting]));
  expect(settings).toMatchObject({
    retries: { type: 'integer', default: '4', variable: 'REVIEWCTL_RETRIES', section: 'Connection' },
    timeout: { type: 'text', default: '30s', value: 'DURATION' },
  });
});
