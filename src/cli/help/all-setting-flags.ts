import { Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { withoutNoun } from '../../config/setting-sources.ts';
import { commands, nouns } from '../commands/commands.ts';
import { type FlagSet, isSetting } from '../flags/flags.ts';
import { commonFlags } from '../flags/shared-flags.ts';
import { defaultValue } from '../settings/known-setting.ts';
import type { CommandFlag, SettingDefaults, SettingFlags } from '../settings/setting-names.ts';
import { readBuilt } from './built-surface.ts';
import type { FlagSurface } from './surface.ts';

/** Reads the flags of every command. Loads all commands, so it is called only if something looks wrong. */
export async function allSettingFlags(): Promise<SettingFlags> {
  const table = new Map<string, CommandFlag[]>();
  const add = (noun: string, flags: FlagSet) => {
    for (const [name, flag] of Object.entries(flags)) {
      if (flag.parts !== undefined) add(noun, flag.parts);
      else if (isSetting(flag)) table.set(name, [...(table.get(name) ?? []), { noun, flag }]);
    }
  };
  add('', commonFlags);
  for (const [words, entry] of Object.entries(commands)) {
    const [noun = ''] = words.split(' ');
    add(noun, (await entry.load()).command.flags);
  }
  return table;
}

/** The file in which the build stores all settings. */
export const settingsFile = '_settings.json';

/** Every setting as `help settings` shows it; loads no command in the built program. */
export async function findSettings(): Promise<readonly FlagSurface[]> {
  const built = readBuilt(settingsFile) as readonly FlagSurface[] | undefined;
  return built ?? (await import('./read-surface.ts')).readSettings();
}

/** The names of all settings, as in files; loads no command in the built program. */
export async function findSettingNames(): Promise<readonly string[]> {
  return (await findSettings()).map(({ name }) => name).toSorted();
}

/**
 * @throws Failure('config') if the project file at `path` has a setting for an unknown noun, which would otherwise be
 * ignored silently.
 */
export function checkProjectNouns(project: JsonObject, path: string): void {
  for (const key of Object.keys(project)) {
    const name = withoutNoun(key);
    const noun = key.slice(0, -name.length - 1);
    if (name === key || Object.hasOwn(nouns, noun)) continue;
    throw new Failure(
      'config',
      `${path} sets '${key}', but no commands are named '${noun}'`,
      `did you mean '${nearestName(noun, Object.keys(nouns)) ?? 'orders'}.${name}'?`,
    );
  }
}

/** The file in which the build stores the defaults of all settings. */
export const settingDefaultsFile = '_setting-defaults.json';

/** The defaults of all settings; loads no command in the built program. */
export async function findSettingDefaults(): Promise<SettingDefaults> {
  const built = readBuilt(settingDefaultsFile) as Iterable<[string, []]> | undefined;
  return built === undefined ? readSettingDefaults() : new Map(built);
}

/** Like `findSettingDefaults`, but read from the flags of every command, which loads all of them. */
export async function readSettingDefaults(): Promise<SettingDefaults> {
  const defaults = [...(await allSettingFlags())].map(([name, readers]) => {
    return [name, readers.map(({ noun, flag }) => ({ noun, value: defaultValue(flag) }))] as const;
  });
  return new Map(defaults);
}
