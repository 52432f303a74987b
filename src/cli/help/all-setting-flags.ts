import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { JsonObject } from '../../base/json.ts';
import { kebabCase } from '../../base/name-case.ts';
import { nearestName } from '../../base/nearest-name.ts';
import type { Profile } from '../../config/profiles.ts';
import { withoutNoun } from '../../config/setting-sources.ts';
import { commands, nouns } from '../commands/commands.ts';
import { type FlagSet, isSetting } from '../flags/flags.ts';
import { commonFlags } from '../flags/shared-flags.ts';
import { defaultValue } from '../settings/known-setting.ts';
import {
  type CommandFlag,
  type SettingDefaults,
  type SettingFlags,
  settingsOf,
} from '../settings/setting-names.ts';
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
 * @throws Failure('config') if `place` (the project file, or `-c`) has a setting for an unknown noun, which would
 * otherwise be ignored silently.
 */
export function checkNouns(settings: JsonObject, place: string): void {
  const key = Object.keys(settings).find((one) => !isForKnownNoun(one));
  if (key === undefined) return;
  const name = withoutNoun(key);
  const noun = nounOf(key);
  throw new Failure(
    'config',
    `${place} sets '${key}', but no commands are named '${noun}'`,
    `did you mean '${nearestName(noun, Object.keys(nouns)) ?? 'orders'}.${name}'?`,
  );
}

function nounOf(key: string): string {
  return key.slice(0, -withoutNoun(key).length - 1);
}

function isForKnownNoun(key: string): boolean {
  return key === withoutNoun(key) || Object.hasOwn(nouns, nounOf(key));
}

/**
 * Returns the settings of a profile that no command reads, such as a misspelt cap, each with its remedy. `flags` are
 * those of the command; their names need no load of all settings.
 */
export async function unreadSettings({ settings }: Profile, flags: FlagSet) {
  const read = new Set(['token', ...settingsOf(flags).map(kebabCase)]);
  const others = Object.keys(settings).filter((key) => !read.has(key));
  const names = others.length === 0 ? [] : await findSettingNames();
  return others
    .filter((key) => !names.includes(withoutNoun(key)) || !isForKnownNoun(key))
    .map((key) => {
      const meant = nearestName(kebabCase(withoutNoun(key)), names);
      const way = hint`to remove it: ${reviewctl`config unset ${key}`}`;
      return { key, hint: meant === undefined ? way : hint`did you mean '${meant}'? ${way}` };
    });
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
