import { describe, expect, it, test } from 'vitest';
import { readFlags } from '../../src/cli/flags/flags.ts';
import { allSettingFlags } from '../../src/cli/help/all-setting-flags.ts';
import { flagNames } from '../../src/cli/settings/flag-names.ts';
import { unknownVariables } from '../../src/cli/settings/setting-names.ts';
import { camelCase, environmentName, kebabCase, projectSettings } from '../../src/config/setting-sources.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const flags = await allSettingFlags();

const names = [...flags.keys()].map(kebabCase).toSorted();

/** The list of names as source; with `vitest -u` the test writes it. */
const source = `/**
 * The names of all settings, as files write them. Every run checks the names of its variables, and deriving these names
 * from the commands would load all of them. A test compares and writes this list.
 */
export const flagNames: readonly string[] = \`
${names.map((name) => `  ${name}\n`).join('')}\`
  .trim()
  .split(/\\s+/);
`;

test('every flag that can be set elsewhere is among the known names, and nothing else', async () => {
  await expect(source).toMatchFileSnapshot('../../src/cli/settings/flag-names.ts');
  expect(flagNames).toEqual(names);
});

test('the name of a setting is found by how files write it', () => {
  expect(names.map(camelCase).toSorted()).toEqual([...flags.keys()].toSorted());
});

test('every flag is read from its variable', () => {
  const profile = { name: 'default', settings: {} };
  for (const [name, takers] of flags) {
    for (const { flag } of takers) {
      const read = (env: Readonly<Record<string, string>>) => {
        try {
          return readFlags({ [name]: flag }, { flags: {}, env, project: {}, profile })[name];
        } catch {
          return 'refused';
        }
      };
      const values = ['true', '7', '2%', 'https://x.example', 'x'];
      const told = values.map((value) => read({ [environmentName(name)]: value }));
      expect(told.some((value) => JSON.stringify(value) !== JSON.stringify(read({})))).toBe(true);
    }
  }
});

test('all that a folder may set is a flag', () => {
  expect([...projectSettings].filter((name) => !flagNames.includes(name))).toEqual([]);
});

describe('a variable that no command reads', () => {
  it('is named with the one that was most likely meant', () => {
    const env = { REVIEWCTL_BASEURL: 'x', REVIEWCTL_DRYRUN: '1', REVIEWCTL_ZZZZZZZZ: '', PATH: 'x' };
    expect(unknownVariables(env)).toEqual([
      { name: 'REVIEWCTL_BASEURL', meant: 'REVIEWCTL_BASE_URL' },
      { name: 'REVIEWCTL_DRYRUN', meant: 'REVIEWCTL_DRY_RUN' },
      { name: 'REVIEWCTL_ZZZZZZZZ', meant: undefined },
    ]);
  });

  it.each(['products list', 'login', 'config list', 'profile list'])('is warned of by %s', async (line) => {
    const env = { ...cleanEnvironment(temporaryFolder()), REVIEWCTL_BASEURL: 'https://x.example' };
    const { stderr } = await runInProcess(line.split(' '), { env });
    expect(stderr).toContain(
      'warning: no command reads REVIEWCTL_BASEURL\nhint: did you mean REVIEWCTL_BASE_URL? else: unset REVIEWCTL_BASEURL\n',
    );
  });

  it('is none of those that are no flags', () => {
    const names = ['TOKEN', 'SANDBOX_TOKEN', 'STATE_DIR', 'CONFIG_DIR', 'PAYMENT_KEY'];
    expect(unknownVariables(Object.fromEntries(names.map((name) => [`REVIEWCTL_${name}`, 'x'])))).toEqual([]);
  });
});
