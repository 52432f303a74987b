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

/** The settings of one shop, by the names of their flags; a stored credential is the setting `token`. */
export interface Profile {
  readonly name: string;
  readonly settings: JsonObject;
}

/** All profiles, and which of them counts where none is named. */
export interface Config {
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, JsonObject>>;
}

/** Whether writes with this profile are to be asked for; a mark that makes no sense counts. */
export function isProduction({ settings }: Profile): boolean {
  return ![undefined, null, false, 'false'].some((no) => no === settings['production']);
}

export const defaultProfileName = 'default';
const profileName = /^[a-z0-9][\w-]{0,63}$/i;
const configName = 'config';

const configSchema = lazy(() =>
  z.looseObject({
    current: z.string().regex(profileName, 'is no profile name').optional(),
    profiles: z.record(z.string(), z.record(z.string(), z.json())).default({}),
  }),
);

/** Where the profiles are kept. */
export function configPath({ config }: Folders): string {
  return join(config, `${configName}.json`);
}

/**
 * The profile of this name, else the current one, else an empty one.
 * @throws Failure('config') for a name no profile has, and as `readConfig`.
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
 * The name of the profile that counts: the one that is wanted, else the current one. It may be one that is not kept
 * yet.
 * @throws Failure('config') for what is no name of a profile, and if none is wanted after the current one was removed:
 *   another one is another shop.
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
    `'${wanted}' is no profile name`,
    'use letters, digits, - and _, a letter or digit first',
  );
}

/** How to choose a profile if the one that counted was removed, and nobody has chosen another one since. */
export function choiceOfDefault(config: Config): Hint | undefined {
  const { current, profiles } = config;
  const [other] = Object.keys(profiles);
  if (other === undefined || current === undefined || settingsOf(config, current) !== undefined)
    return undefined;
  return hint`to choose one: ${reviewctl`profile use ${other}`}`;
}

/** What is kept of a profile; undefined where there is none of that name. */
export function settingsOf({ profiles }: Config, name: string): JsonObject | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** That no profile has this name, with the names there are. */
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
 * All profiles; none where there is no config file.
 * @throws Failure('config') for a config file that is damaged, or that others may read or replace.
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

/** @throws Failure('config') where others than this user may open the path. */
function requirePrivate(path: string): void {
  const stats = statSync(path);
  const exposure = exposureOf(path, stats, process.getuid?.());
  if (exposure === undefined) return;
  throw new Failure('config', `${path} ${exposure.why}, and it holds credentials`, exposure.remedy);
}

/**
 * Keeps settings in a profile, which is made where it is missing; what it has besides is left alone. A value of
 * undefined takes the setting away.
 * @throws Failure('config') as `readConfig`, and where the file cannot be written; Failure('locked') where another
 * process keeps changing the settings.
 */
export async function saveSettings(folders: Folders, profile: string, settings: JsonObject): Promise<void> {
  await changeConfig(folders, (config) => ({
    ...config,
    profiles: { ...config.profiles, [profile]: merged(settingsOf(config, profile) ?? {}, settings) },
  }));
}

/**
 * Makes this profile the one that counts where none is named.
 * @throws Failure('config') for a name no profile has, and as `saveSettings`.
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
 * Forgets a profile with its settings and its credential. The current one stays named: until another one is chosen, no
 * command may take the default one for it. Without any other profile there is nothing to choose.
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
 * Writes the config file as `change` makes it from its content: whole or not at all, readable by this user alone. Other
 * changes wait, so that each begins with what the one before it made.
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

/** Throws an Error that says what is wrong without quoting the content. */
function readConfigText(text: string) {
  const read = configSchema().safeParse(parseSettingsText(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is not valid'}`);
}
