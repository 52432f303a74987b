import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../base/failure.ts';
import { type HintText, hint, reviewctl } from '../base/hint.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { kebabCase } from '../base/name-case.ts';
import { nearestName } from '../base/nearest-name.ts';
import { readRegularFile } from '../base/regular-file.ts';
import type { Environment } from './folders.ts';
import type { Profile } from './profiles.ts';
import { parseSettingsText } from './settings-text.ts';

/** The source of a setting, strongest first. */
export type SettingOrigin = 'flag' | 'environment' | 'project' | 'profile' | 'default';

/** A setting as found: text from a flag or the environment, any JSON from a file. */
export interface FoundSetting {
  readonly value: unknown;
  readonly origin: SettingOrigin;
  /** The source as messages name it: `--map`, `-c timeout`, `REVIEWCTL_TIMEOUT`, `reviewctl.json`. */
  readonly place: string;
}

/** The layers of settings. */
export interface SettingSources {
  /** The noun of the command (`orders`): files may set `orders.map` for it alone. */
  readonly noun?: string;
  /** The flags as typed, by their camel-case names. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Settings of `-c` for this call, by their names in files; a repeated one is a list. */
  readonly overrides?: JsonObject;
  readonly env: Environment;
  /** The content of `reviewctl.json` in the working folder; empty without that file. */
  readonly project: JsonObject;
  readonly profile: Profile;
}

const projectFileName = 'reviewctl.json';

/**
 * The only settings of a project file: formats, mappings and request limits. A folder prepared by another person must
 * not redirect credentials or money, choose the account of a command, name files to write, answer questions, or remove
 * a safeguard. Nor may it shorten what is read or printed, or add its own values to records. So a new setting is
 * allowed here only after review.
 */
export const projectSettings: ReadonlySet<string> = new Set([
  ...['output', 'progress', 'log-format'],
  ...['format', 'encoding', 'delimiter', 'sheet', 'header-row', 'preset', 'time-zone'],
  ...['map', 'carriers', 'image-base-url', 'product-key'],
  ...['timeout', 'retries', 'outage-wait', 'rate', 'concurrency', 'batch-size', 'page-size'],
]);

/** The environment variable of a setting: `REVIEWCTL_BATCH_SIZE` for `batchSize`. */
export function environmentName(name: string): string {
  return `REVIEWCTL_${kebabCase(name).replaceAll('-', '_').toUpperCase()}`;
}

/** The setting that names the program or service that pays; undefined if no layer has one. */
export function findPayer(sources: SettingSources): FoundSetting | undefined {
  return findSetting(sources, 'payerCommand') ?? findSetting(sources, 'payerUrl');
}

/** The strongest value of a setting; undefined if no layer has one. `name` is in camel case. */
export function findSetting(sources: SettingSources, name: string): FoundSetting | undefined {
  const { noun, flags, overrides = {}, project, profile } = sources;
  const key = kebabCase(name);
  if (Object.hasOwn(flags, name)) return { value: flags[name], origin: 'flag', place: `--${key}` };
  const inOverrides = valueIn(overrides, noun, key);
  if (inOverrides !== undefined) return { value: inOverrides, origin: 'flag', place: `-c ${key}` };
  const inEnvironment = findVariable(sources, name);
  if (inEnvironment !== undefined) return inEnvironment;
  const inProject = valueIn(project, noun, key);
  if (inProject !== undefined) return { value: inProject, origin: 'project', place: projectFileName };
  const inProfile = valueIn(profile.settings, noun, key);
  return inProfile === undefined
    ? undefined
    : { value: inProfile, origin: 'profile', place: `profile ${profile.name}` };
}

/** The value of a setting in the environment; an empty variable counts as unset. */
export function findVariable({ env }: SettingSources, name: string): FoundSetting | undefined {
  const place = environmentName(name);
  const value = env[place];
  return value === undefined || value === '' ? undefined : { value, origin: 'environment', place };
}

/** The value of a setting in a file: for this noun alone, else for all. */
function valueIn(settings: JsonObject, noun: string | undefined, key: string): Json | undefined {
  const scoped = `${noun}.${key}`;
  if (noun !== undefined && Object.hasOwn(settings, scoped)) return settings[scoped];
  return Object.hasOwn(settings, key) ? settings[key] : undefined;
}

/** The name of a setting without its noun: `orders.map` is `map`. */
export function withoutNoun(key: string): string {
  return key.slice(key.indexOf('.') + 1);
}

/** The path of the settings file of a folder. */
export function projectPath(folder: string): string {
  return join(folder, projectFileName);
}

/**
 * Reads `reviewctl.json` of a folder; empty without that file. The names of all settings are requested only if it sets
 * a forbidden one.
 * @throws Failure('config') if it is not a JSON object, or sets what only the user may set.
 */
export async function readProjectFile(
  folder: string,
  settingNames: () => Promise<readonly string[]>,
): Promise<JsonObject> {
  const path = projectPath(folder);
  if (!existsSync(path)) return {};
  let content: unknown;
  try {
    content = parseSettingsText(readRegularFile(path));
  } catch (error) {
    throw new Failure('config', `${path} cannot be read: ${messageOf(error)}`, 'correct it or remove it', {
      cause: error,
    });
  }
  if (!isJsonObject(content)) {
    throw new Failure(
      'config',
      `${path} must hold a JSON object of settings`,
      'for example {"batch-size": 50}',
    );
  }
  const refused = Object.keys(content).find((key) => !projectSettings.has(withoutNoun(key)));
  if (refused !== undefined) throw notForFolders(path, refused, await settingNames());
  return content;
}

function notForFolders(path: string, key: string, settingNames: readonly string[]): Failure {
  return new Failure(
    'config',
    `${path} must not set '${key}'`,
    hint`${adviceFor(key, settingNames)}; reviewctl.json may only set formats, mappings and request limits`,
  );
}

/** Says where a setting belongs that folders may not set, or which name was meant. */
function adviceFor(key: string, settingNames: readonly string[]): HintText {
  const name = withoutNoun(key);
  const setting = kebabCase(name);
  if (isSecretSetting(setting)) return hint`keep the credential with: ${reviewctl`login`}`;
  if (setting === 'profile') return hint`remove it there and choose one: ${reviewctl`profile use NAME`}`;
  const isAllowed = projectSettings.has(setting);
  if (!isAllowed && settingNames.includes(setting)) {
    const scoped = key.slice(0, -name.length) + setting;
    return hint`remove it there and set it for yourself: ${reviewctl`config set ${scoped} …`}`;
  }
  const meant = isAllowed ? setting : nearestName(name, [...projectSettings]);
  if (meant !== undefined) return `did you mean '${meant}'?`;
  return hint`no command reads it, so remove it; settings that are read: ${reviewctl`help settings`}`;
}

/** True if the value of the setting is itself a secret, and so is neither typed nor shown. */
export function isSecretSetting(name: string): boolean {
  return name === 'token';
}
