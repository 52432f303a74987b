import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findSettings } from '../src/cli/help/all-setting-flags.ts';
import { allSurfaces } from '../src/cli/help/find-surface.ts';

/*
 * Accounts for every command, flag and variable of the largest former surface: each is kept, is now a setting, or is
 * replaced.
 */

/** The output of `schema commands`. */
interface Printed {
  readonly commands: readonly {
    readonly words: string;
    readonly flags: readonly { readonly name: string; readonly variable?: string }[];
  }[];
  readonly variables: readonly { readonly name: string }[];
}

const before: Printed = JSON.parse(gunzipSync(readFileSync('fixtures/surface/before.json.gz')).toString());
const account = readFileSync('fixtures/surface/account.txt', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split(/ {2,}/));

function namesOf({ commands }: Pick<Printed, 'commands'>): readonly string[] {
  const flags = commands.flatMap((command) => command.flags);
  const all = [
    ...commands.map(({ words }) => words),
    ...flags.map(({ name }) => `--${name}`),
    ...flags.flatMap(({ variable }) => (variable === undefined ? [] : [variable])),
  ];
  return [...new Set(all)].toSorted();
}

test('the account has each name of before once, with what became of it', () => {
  expect(account.map(([name = '']) => name).toSorted()).toEqual(
    [...namesOf(before), ...ownVariables].toSorted(),
  );
  for (const [name, fate] of account)
    expect({ name, fate }).toEqual({
      name,
      fate: expect.stringMatching(/^(?:kept|setting [\w-]|gone: \w*-*\S)/),
    });
});

/** Variables that belong to no flag. */
const ownVariables = before.variables
  .flatMap(({ name }) => name.split(', '))
  .filter((name) => name.startsWith('REVIEWCTL_'));

test('what is kept is there today, what is a setting is one, and what is gone is not', async () => {
  const surfaces = await allSurfaces();
  const commands = surfaces.filter(({ commands }) => commands.length === 0);
  const settings = await findSettings();
  const variables = settings.map(({ variable = '' }) => variable);
  const now = new Set([...namesOf({ commands }), ...variables, ...ownVariables]);
  const names = new Set(settings.map(({ name }) => name));
  const untrue = account.filter(([name = '', fate = '']) => {
    const [, setting] = /^setting ([\w-]+)/.exec(fate) ?? [];
    if (setting !== undefined) return !names.has(setting) || (now.has(name) && !bothForOneCommand.has(name));
    return now.has(name) === fate.startsWith('gone');
  });
  expect(untrue).toEqual([]);
});

/** Settings that are also a flag of one command: `login --base-url`, `state move --state`. */
const bothForOneCommand: ReadonlySet<string> = new Set([
  '--base-url',
  '--state',
  '--port',
  '--host',
  '--shop',
]);
