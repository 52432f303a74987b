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

/** Where the value of a setting came from, strongest first. */
export type SettingOrigin = 'flag' | 'environment' | 'project' | 'profile' | 'default';

/** A value as it was found: text from a flag or the environment, anything JSON from a file. */
export interface FoundSetting {
  readonly value: unknown;
  readonly origin: SettingOrigin;
  /** The name of the place in messages: `--map`, `-c timeout`, `REVIEWCTL_TIMEOUT`, `reviewctl.json`. */
  readonly place: string;
}

/** The layers of settings. */
export interface SettingSources {
  /** What the command is about (`orders`): files may set `orders.map` for it alone. */
  readonly noun?: string;
  /** What was typed, by the camel-case names of the flags. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** What `-c` sets for this call, by the names in files; a list if it was repeated. */
  readonly overrides?: JsonObject;
  readonly env: Environment;
  /** The content of `reviewctl.json` in the working folder; empty where there is none. */
  readonly project: JsonObject;
  readonly profile: Profile;
}

const projectFileName = 'reviewctl.json';

/**
 * The only settings of a project file: formats, mappings and the pace of requests. A folder prepared by another person
 * must not redirect credentials or money, choose the account of a command, name files to write, answer questions, or
 * remove a safeguard; nor may it shorten what is read or printed, or put values of its own into records. So a new
 * setting is allowed here only after review.
 */
export const projectSettings: ReadonlySet<string> = new Set([
  ...['output', 'progress', 'log-format'],
  ...['format', 'encoding', 'delimiter', 'sheet', 'header-row', 'preset', 'time-zone'],
  ...['map', 'carriers', 'image-base-url', 'product-key'],
  ...['timeout', 'retries', 'outage-wait', 'rate', 'concurrency', 'batch-size', 'page-size'],
]);

/** `batchSize` as the environment writes it: `REVIEWCTL_BATCH_SIZE`. */
export function environmentName(name: string): string {
  return `REVIEWCTL_${kebabCase(name).replaceAll('-', '_').toUpperCase()}`;
}

/** The strongest value of a setting, or undefined where no layer has it. `name` is in camel case. */
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

/** The value of a setting in the environment; an empty one is none. */
export function findVariable({ env }: SettingSources, name: string): FoundSetting | undefined {
  const place = environmentName(name);
  const value = env[place];
  return value === undefined || value === '' ? undefined : { value, origin: 'environment', place };
}

/** What a file says of a setting: for this noun alone, else for all. */
function valueIn(settings: JsonObject, noun: string | undefined, key: string): Json | undefined {
  const scoped = `${noun}.${key}`;
  if (noun !== undefined && Object.hasOwn(settings, scoped)) return settings[scoped];
  return Object.hasOwn(settings, key) ? settings[key] : undefined;
}

/** The name of a setting without the noun it may be for: `orders.map` is `map`. */
export function withoutNoun(key: string): string {
  return key.slice(key.indexOf('.') + 1);
}

/** The file with the settings of a folder. */
export function projectPath(folder: string): string {
  return join(folder, projectFileName);
}

/**
 * Reads `reviewctl.json` of a folder; empty where there is none. The names of all settings are asked for only where it
 * sets what it must not.
 * @throws Failure('config') where it is no JSON object, or sets what only the user may.
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
    `${path} sets '${key}', which a folder must not`,
    hint`${adviceFor(key, settingNames)}; a folder may set formats, mappings and the pace of requests alone`,
  );
}

/** Where a setting belongs that is not for folders, or what it was meant to be. */
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

/** Whether the value of a setting is itself a secret, and so neither typed nor shown. */
export function isSecretSetting(name: string): boolean {
  return name === 'token';
}
