import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { renameFolder } from '../base/atomic-file.ts';
import { Failure, messageOf } from '../base/failure.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { type Folders, profileStatePath } from './folders.ts';
import { type Config, changeConfig, settingsOf, unknownProfile } from './profiles.ts';

/**
 * Renames a profile and moves its state with it, both or neither. Settings of any profile that name a path in that
 * state name the new one afterwards.
 * @throws Failure('config') where there is no such profile, the new name is taken, or the folder cannot be moved; and
 *   as `saveSettings`.
 */
export async function renameProfile(folders: Folders, from: string, to: string): Promise<void> {
  const [fromPath, toPath] = [from, to].map((name) => profileStatePath(folders, name)) as [string, string];
  let isMoved = false;
  try {
    await changeConfig(folders, (config) => {
      checkNames(config, folders, { from, to });
      if (existsSync(fromPath)) {
        moveFolder(fromPath, toPath);
        isMoved = true;
      }
      return renamed(config, { from, to, fromPath, toPath });
    });
  } catch (error) {
    if (isMoved) renameFolder(toPath, fromPath);
    throw error;
  }
}

interface Names {
  readonly from: string;
  readonly to: string;
}

function checkNames(config: Config, folders: Folders, { from, to }: Names): void {
  if (settingsOf(config, from) === undefined && !existsSync(profileStatePath(folders, from)))
    throw unknownProfile(from, config);
  const state = profileStatePath(folders, to);
  const isTaken = settingsOf(config, to) !== undefined;
  if (!isTaken && !existsSync(state)) return;
  throw new Failure(
    'config',
    isTaken
      ? `there is a profile '${to}' already`
      : `there is state of an earlier profile '${to}' in ${state}`,
    'choose another name; nothing was changed',
  );
}

function moveFolder(from: string, to: string): void {
  try {
    renameFolder(from, to);
  } catch (error) {
    throw new Failure(
      'config',
      `the state folder ${from} cannot be renamed to ${to}: ${messageOf(error)}`,
      'see that you may write there; nothing was changed',
      { cause: error },
    );
  }
}

function renamed(
  { current, profiles, ...config }: Config,
  { from, to, fromPath, toPath }: Names & { readonly fromPath: string; readonly toPath: string },
): Config {
  const followed = (value: Json | undefined): Json | undefined =>
    typeof value === 'string' && value.startsWith(fromPath + sep)
      ? toPath + value.slice(fromPath.length)
      : value;
  const entries = Object.entries<JsonObject>({ [from]: {}, ...profiles }).map(
    ([name, settings]): [string, JsonObject] => [
      name === from ? to : name,
      Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, followed(value)])),
    ],
  );
  return {
    ...config,
    ...(current === from ? { current: to } : { current }),
    profiles: Object.fromEntries(entries),
  };
}
