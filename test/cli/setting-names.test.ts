import { describe, expect, it, test } from 'vitest';
import { allSettingFlags } from '../../src/cli/all-setting-flags.ts';
import { readFlags } from '../../src/cli/flags.ts';
import { settingNames, unknownVariables } from '../../src/cli/setting-names.ts';
import { environmentName, kebabCase, projectSettings } from '../../src/config/setting-sources.ts';

const flags = await allSettingFlags();

test('every flag that can be set elsewhere is among the known names, and nothing else', () => {
  expect(settingNames).toEqual([...flags.keys()].map(kebabCase).toSorted());
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
  expect([...projectSettings].filter((name) => !settingNames.includes(name))).toEqual([]);
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

  it('is none of those that are no flags', () => {
    const names = ['TOKEN', 'SANDBOX_TOKEN', 'STATE_DIR', 'CONFIG_DIR', 'PAYMENT_KEY'];
    expect(unknownVariables(Object.fromEntries(names.map((name) => [`REVIEWCTL_${name}`, 'x'])))).toEqual([]);
  });
});
