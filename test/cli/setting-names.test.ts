import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { camelCase, kebabCase } from '../../src/base/name-case.ts';
import { readFlags } from '../../src/cli/flags/flags.ts';
import { allSettingFlags, findSettingNames } from '../../src/cli/help/all-setting-flags.ts';
import type { FlagSurface } from '../../src/cli/help/surface.ts';
import { unknownVariables } from '../../src/cli/settings/setting-names.ts';
import { environmentName, projectSettings } from '../../src/config/setting-sources.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const flags = await allSettingFlags();

const names = [...flags.keys()].map(kebabCase).toSorted();

test('the build stores the name of every setting, and nothing else', () => {
  const built: readonly FlagSurface[] = JSON.parse(readFileSync('dist/surfaces/_settings.json', 'utf8'));
  expect(built.map(({ name }) => name).toSorted()).toEqual(names);
});

test('the name of a setting is found by how files write it', () => {
  expect(names.map(camelCase).toSorted()).toEqual([...flags.keys()].toSorted());
});

test('every flag is read from its variable', () => {
  const profile = { name: 'default', settings: {} };
  for (const [name, readers] of flags) {
    for (const { flag } of readers) {
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
  expect([...projectSettings].filter((name) => !names.includes(name))).toEqual([]);
});

describe('a variable that no command reads', () => {
  it('is named with the one that was most likely meant', async () => {
    const env = { REVIEWCTL_BASEURL: 'x', REVIEWCTL_TIME_OUT: '1', REVIEWCTL_ZZZZZZZZ: '', PATH: 'x' };
    expect(await unknownVariables(env, findSettingNames)).toEqual([
      { name: 'REVIEWCTL_BASEURL', meant: 'REVIEWCTL_BASE_URL' },
      { name: 'REVIEWCTL_TIME_OUT', meant: 'REVIEWCTL_TIMEOUT' },
      { name: 'REVIEWCTL_ZZZZZZZZ', meant: undefined },
    ]);
  });

  it.each(['products list', 'login', 'config list', 'profile list'])('is warned of by %s', async (line) => {
    const variables = { REVIEWCTL_BASEURL: 'https://x.example', REVIEWCTL_ASSUME: 'array-query=comma' };
    const { stderr } = await runInProcess(line, {
      env: { ...cleanEnvironment(temporaryFolder()), ...variables },
    });
    expect(stderr).toContain(
      'warning: no command reads REVIEWCTL_BASEURL\nhint: did you mean REVIEWCTL_BASE_URL? else: unset REVIEWCTL_BASEURL\n',
    );
    expect(stderr).toContain('warning: no command reads REVIEWCTL_ASSUME\n');
  });

  it('is warned of in a profile, too, such as a cap that was misspelt', async () => {
    const folder = temporaryFolder();
    const settings = { 'max-per-rewrd': '5', 'orders.map': ['originId=No'], 'order.map': ['a=b'] };
    const config = JSON.stringify({ profiles: { default: { ...settings, token: 'x' } } });
    mkdirSync(join(folder, 'config'), { mode: 0o700 });
    writeFileSync(join(folder, 'config', 'config.json'), config, { mode: 0o600 });
    const { stderr } = await runInProcess('runs list', { env: cleanEnvironment(folder) });
    expect(stderr).toContain(
      "warning: no command reads 'max-per-rewrd' of profile default\n" +
        "hint: did you mean 'max-per-reward'? to remove it: reviewctl config unset max-per-rewrd\n",
    );
    expect(stderr.match(/no command reads '.*'/g)).toHaveLength(2);
    const unset = await runInProcess('config unset max-per-rewrd', { env: cleanEnvironment(folder) });
    expect(unset.stderr.match(/no command reads '.*'/g)).toEqual(["no command reads 'order.map'"]);
  });

  it('is none of those that are no flags', async () => {
    const names = ['TOKEN', 'SANDBOX_TOKEN', 'STATE_DIR', 'CONFIG_DIR', 'PAYMENT_KEY'];
    const env = Object.fromEntries(names.map((name) => [`REVIEWCTL_${name}`, 'x']));
    expect(await unknownVariables(env, findSettingNames)).toEqual([]);
  });
});
