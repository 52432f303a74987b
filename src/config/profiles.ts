import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { makeFolder } from '../base/atomic-file.ts';
import { Failure, messageOf } from '../base/failure.ts';
import { type Hint, hint, reviewctl } from '../base/hint.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { lazy } from '../base/lazy.ts';
import { exposureOf } from '../base/path-exposure.ts';
import { isThere, readRegularFile } from '../base/regular-file.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Folders } from './folders.ts';
import { parseSettingsText } from './settings-text.ts';

/** The settings of one shop, by flag name; a stored credential is the setting `token`. */
export interface Profile {
  readonly name: string;
  readonly settings: JsonObject;
}

/** All profiles, and the name of the default one. */
export interface Config {
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, JsonObject>>;
}

/** True if writes with this profile need confirmation. Any value other than false enables it. */
export function isProduction({ settings }: Profile): boolean {
  return ![undefined, null, false, 'false'].some((no) => no === settings['production']);
}

export const defaultProfileName = 'default';
const profileName = /^[a-z0-9][\w-]{0,63}$/i;
const configName = 'config';

const configSchema = lazy(() =>
  z.looseObject({
    current: z.string().regex(profileName, 'is not a profile name').optional(),
    profiles: z.record(z.string(), z.record(z.string(), z.json())).default({}),
  }),
);

/** The path of the config file. */
export function configPath({ config }: Folders): string {
  return join(config, `${configName}.json`);
}

/**
 * Reads the named profile, else the current one, else an empty one.
 * @throws Failure('config') for an unknown name, and as `readConfig`.
 */
export function readProfile(folders: Folders, wanted: string | undefined): Profile {
  const config = readConfig(folders);
  const name = chosenProfile(config, wanted);
  const settings = settingsOf(config, name);
  if (settings !== undefined) return { name, settings };
  if (name === defaultProfileName) return { name, settings: {} };
  throw unknownProfile(name, config);
}

/**
 * The name of the requested profile, else of the current one. It may not be stored yet.
 * @throws Failure('config') for an invalid name, and if no profile is requested after the current one was removed:
 *   another profile is another shop.
 */
export function chosenProfile(config: Config, wanted: string | undefined): string {
  const { current = defaultProfileName } = config;
  const choice = wanted === undefined ? choiceOfDefault(config) : undefined;
  if (choice !== undefined) {
    const message = `profile ${current} was removed, and no other one is the default`;
    throw new Failure('config', message, hint`${choice}; or add --profile NAME`);
  }
  if (wanted === undefined) return current;
  if (profileName.test(wanted)) return wanted;
  throw new Failure(
    'config',
    `'${wanted}' is not a profile name`,
    'use letters, digits, - and _, a letter or digit first',
  );
}

/** A hint for choosing a profile after the current one was removed. */
export function choiceOfDefault(config: Config): Hint | undefined {
  const { current, profiles } = config;
  const [other] = Object.keys(profiles);
  if (other === undefined || current === undefined || settingsOf(config, current) !== undefined)
    return undefined;
  return hint`to choose one: ${reviewctl`profile use ${other}`}`;
}

/** The settings of a stored profile; undefined if there is no such profile. */
export function settingsOf({ profiles }: Config, name: string): JsonObject | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The failure for an unknown profile; lists the known ones. */
export function unknownProfile(name: string, { profiles }: Config): Failure {
  const known = Object.keys(profiles);
  const make = hint`to make it: ${reviewctl`login --profile ${name} --base-url https://…`}`;
  return new Failure(
    'config',
    `there is no profile '${name}'`,
    known.length === 0 ? make : hint`profiles: ${known.join(', ')}; ${make}`,
  );
}

/**
 * Reads all profiles; there are none without a config file.
 * @throws Failure('config') if the config file is damaged, or if other users may read or replace it.
 */
export function readConfig(folders: Folders): Config {
  const path = configPath(folders);
  if (!isThere(path)) return { profiles: {} };
  requirePrivate(folders.config);
  requirePrivate(path);
  try {
    return readConfigText(readRegularFile(path));
  } catch (error) {
    const aside = `mv ${shellWord(path)} ${shellWord(`${path}.broken`)}`;
    throw new Failure(
      'config',
      `${path} cannot be used: ${messageOf(error)}`,
      hint`correct it, or move it away and set up again: ${aside} && ${reviewctl`login`}`,
      { cause: error },
    );
  }
}

/** @throws Failure('config') if other users may open the path. */
function requirePrivate(path: string): void {
  const stats = statSync(path);
  const exposure = exposureOf(path, stats, process.getuid?.());
  if (exposure === undefined) return;
  throw new Failure('config', `${path} ${exposure.why}, and it holds credentials`, exposure.remedy);
}

/**
 * Stores settings in a profile and creates it if necessary. Its other settings are kept; undefined removes a setting.
 * @throws Failure('config') as `readConfig`, and if the file cannot be written; Failure('locked') if another process
 * keeps changing the settings.
 */
export async function saveSettings(folders: Folders, profile: string, settings: JsonObject): Promise<void> {
  await changeConfig(folders, (config) => ({
    ...config,
    profiles: { ...config.profiles, [profile]: merged(settingsOf(config, profile) ?? {}, settings) },
  }));
}

/**
 * Makes this profile the default one.
 * @throws Failure('config') for an unknown name, and as `saveSettings`.
 */
export async function useProfile(folders: Folders, name: string): Promise<void> {
  await changeConfig(folders, (config) => {
    if (settingsOf(config, name) === undefined) throw unknownProfile(name, config);
    return { ...config, current: name };
  });
}

function merged(kept: JsonObject, changes: JsonObject): JsonObject {
  const entries = Object.entries({ ...kept, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/**
 * Removes a profile with its settings and its credential. A removed current profile stays the current one until another
 * is chosen, so that no command falls back to the default profile. The last profile leaves nothing to choose.
 * @throws as `saveSettings`.
 */
export async function removeProfile(folders: Folders, name: string): Promise<void> {
  await changeConfig(folders, ({ current, profiles, ...config }) => {
    const { [name]: _removed, ...others } = profiles;
    const isLast = Object.keys(others).length === 0;
    return { ...config, ...(isLast ? {} : { current }), profiles: others };
  });
}

/**
 * Replaces the config file by what `change` returns for its content: atomically, readable by this user alone.
 * Concurrent changes wait, so that each starts from the result of the one before.
 */
async function changeConfig(folders: Folders, change: (config: Config) => Config): Promise<void> {
  try {
    makeFolder(folders.config, 'process');
    requirePrivate(folders.config);
    const [{ default: Conf }, { withConfigLock }] = await Promise.all([
      import('conf'),
      import('./config-lock.ts'),
    ]);
    await withConfigLock(folders.config, async () => {
      const store = new Conf({
        cwd: folders.config,
        configName,
        projectSuffix: '',
        configFileMode: 0o600,
        clearInvalidConfig: false,
        deserialize: readConfigText,
      });
      store.store = configSchema().parse(change(readConfig(folders)));
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'config',
      `${configPath(folders)} cannot be written: ${messageOf(error)}`,
      'name a folder you may write to with REVIEWCTL_CONFIG_DIR',
      { cause: error },
    );
  }
}

/** @throws an Error that describes the defect without quoting the content. */
function readConfigText(text: string) {
  const read = configSchema().safeParse(parseSettingsText(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is not valid'}`);
}
