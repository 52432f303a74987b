import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure, messageOf } from '../base/failure.ts';
import type { JsonObject } from '../base/json.ts';
import type { Folders } from './folders.ts';

/** The settings of one shop, by the names of their flags; a stored credential is the setting `token`. */
export interface Profile {
  readonly name: string;
  readonly settings: JsonObject;
}

export const defaultProfileName = 'default';
const profileName = /^[\w-]{1,64}$/;
const fileName = 'config.json';

const configSchema = z.looseObject({
  current: z.string().regex(profileName).optional(),
  profiles: z.record(z.string(), z.record(z.string(), z.json())).optional(),
});

/**
 * The profile of this name, else the current one, else an empty one.
 * @throws Failure('config') for a name no profile has, and for a config file that is damaged or that others may read.
 */
export async function readProfile(folders: Folders, wanted: string | undefined): Promise<Profile> {
  if (wanted !== undefined && !profileName.test(wanted)) {
    throw new Failure('config', `'${wanted}' is no profile name`, 'use letters, digits, - and _');
  }
  const path = join(folders.config, fileName);
  const config = existsSync(path) ? await readConfig(folders.config, path) : {};
  const name = wanted ?? config.current ?? defaultProfileName;
  const settings = config.profiles?.[name];
  if (settings === undefined && wanted !== undefined && wanted !== defaultProfileName) {
    const known = Object.keys(config.profiles ?? {});
    throw new Failure(
      'config',
      `there is no profile '${wanted}'`,
      known.length === 0 ? `no profile is kept in ${path}` : `profiles: ${known.join(', ')}`,
    );
  }
  return { name, settings: settings ?? {} };
}

async function readConfig(folder: string, path: string): Promise<z.output<typeof configSchema>> {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Failure(
      'config',
      `${path} may be read by others, and it holds credentials`,
      `chmod 600 ${path}`,
    );
  }
  try {
    const { default: Conf } = await import('conf');
    const store = new Conf({
      cwd: folder,
      configName: 'config',
      projectSuffix: '',
      configFileMode: 0o600,
      clearInvalidConfig: false,
    });
    return configSchema.parse(store.store);
  } catch (error) {
    throw new Failure(
      'config',
      `${path} is damaged: ${messageOf(error)}`,
      'correct it, or move it away and set up again',
      {
        cause: error,
      },
    );
  }
}
