import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure, messageOf } from '../base/failure.ts';
import type { JsonObject } from '../base/json.ts';
import type { Folders } from './folders.ts';
import { parseSettingsText } from './settings-text.ts';

/** The settings of one shop, by the names of their flags; a stored credential is the setting `token`. */
export interface Profile {
  readonly name: string;
  readonly settings: JsonObject;
}

const defaultProfileName = 'default';
const profileName = /^[\w-]{1,64}$/;
const configName = 'config';

const configSchema = z.looseObject({
  current: z.string().regex(profileName).optional(),
  profiles: z.record(z.string(), z.record(z.string(), z.json())).optional(),
});
type Config = z.output<typeof configSchema>;

/**
 * The profile of this name, else the current one, else an empty one.
 * @throws Failure('config') for a name no profile has, and for a config file that is damaged or that others may read.
 */
export async function readProfile(folders: Folders, wanted: string | undefined): Promise<Profile> {
  if (wanted !== undefined && !profileName.test(wanted)) {
    throw new Failure('config', `'${wanted}' is no profile name`, 'use letters, digits, - and _');
  }
  const path = join(folders.config, `${configName}.json`);
  const { current, profiles = {} } = existsSync(path) ? await readConfig(folders.config, path) : {};
  const name = wanted ?? current ?? defaultProfileName;
  const settings = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (settings === undefined && name !== defaultProfileName) {
    const known = Object.keys(profiles);
    throw new Failure(
      'config',
      `there is no profile '${name}'`,
      known.length === 0 ? `no profile is kept in ${path}` : `profiles: ${known.join(', ')}`,
    );
  }
  return { name, settings: settings ?? {} };
}

async function readConfig(folder: string, path: string): Promise<Config> {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Failure(
      'config',
      `${path} may be read by others, and it holds credentials`,
      `chmod 600 ${path}`,
    );
  }
  try {
    return (await openStore(folder)).store;
  } catch (error) {
    throw new Failure(
      'config',
      `${path} cannot be used: ${messageOf(error)}`,
      'correct it, or move it away and set up again',
    );
  }
}

/**
 * Keeps settings in a profile, which is made where it is missing; what it has besides is left alone.
 * @throws Failure('config') as `readProfile`, and where the file cannot be written.
 */
export async function saveSettings(folders: Folders, profile: string, settings: JsonObject): Promise<void> {
  const path = join(folders.config, `${configName}.json`);
  if (existsSync(path)) await readConfig(folders.config, path);
  try {
    mkdirSync(folders.config, { recursive: true, mode: 0o700 });
    const store = await openStore(folders.config);
    const { profiles = {} } = store.store;
    const merged = { ...profiles, [profile]: { ...profiles[profile], ...settings } };
    store.set('profiles', merged as NonNullable<Config['profiles']>);
  } catch (error) {
    throw new Failure(
      'config',
      `${path} cannot be written: ${messageOf(error)}`,
      'name a folder you may write to with REVIEWCTL_CONFIG_DIR',
    );
  }
}

async function openStore(folder: string) {
  const { default: Conf } = await import('conf');
  return new Conf<Config>({
    cwd: folder,
    configName,
    projectSuffix: '',
    configFileMode: 0o600,
    clearInvalidConfig: false,
    deserialize: readConfigText,
  });
}

function readConfigText(text: string): Config {
  const read = configSchema.safeParse(parseSettingsText(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is not valid'}`);
}
