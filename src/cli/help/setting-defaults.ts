import { defaultValue } from '../settings/known-setting.ts';
import type { SettingDefaults } from '../settings/setting-names.ts';
import { allSettingFlags } from './all-setting-flags.ts';
import { readBuilt } from './built-surface.ts';

/** The file in which the build keeps the defaults of all settings. */
export const settingDefaultsFile = '_setting-defaults.json';

/** The defaults of all settings; loads no command where the program is built. */
export async function findSettingDefaults(): Promise<SettingDefaults> {
  const built = readBuilt(settingDefaultsFile) as Iterable<[string, []]> | undefined;
  return built === undefined ? readSettingDefaults() : new Map(built);
}

/** As `findSettingDefaults`, read off the flags of every command, which loads all of them. */
export async function readSettingDefaults(): Promise<SettingDefaults> {
  const defaults = [...(await allSettingFlags())].map(([name, readers]) => {
    const values = readers.map(({ noun, flag }) => ({ noun, value: defaultValue(flag) }));
    return [
      name,
      values.map(({ noun, value }) => (value === undefined ? { noun } : { noun, value })),
    ] as const;
  });
  return new Map(defaults);
}
