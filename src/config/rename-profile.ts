import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { renameFolder } from '../base/atomic-file.ts';
import { Failure, messageOf } from '../base/failure.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { type Folders, profileStatePath } from './folders.ts';
import {
  type Config,
  changeConfig,
  defaultProfileName,
  type Renaming,
  settingsOf,
  unknownProfile,
} from './profiles.ts';

/**
 * Renames a profile and moves its state with it. Settings of any profile that name a path in that state name the new
 * one afterwards. What is to be done is on the disk before it begins: a renaming that is interrupted is finished by the
 * next command.
 * @throws Failure('config') where there is no such profile, the new name is taken, or the folder cannot be moved; and
 *   as `saveSettings`.
 */
export async function renameProfile(folders: Folders, from: string, to: string): Promise<void> {
  await changeConfig(folders, (config, keep) => {
    checkNames(config, folders, { from, to });
    const renaming = { from, to, state: folders.state };
    keep({ ...config, renaming });
    try {
      moveState(renaming);
    } catch (error) {
      keep(config);
      throw error;
    }
    return renamed(config, renaming);
  });
}

/**
 * Finishes the renaming that is on record, unless another process has done so; one whose state cannot be moved is
 * dropped, and the profile keeps its name.
 * @throws as `saveSettings`.
 */
export async function finishRenaming(folders: Folders): Promise<void> {
  await changeConfig(folders, ({ renaming, ...config }) => {
    if (renaming === undefined) return config;
    try {
      moveState(renaming);
    } catch (error) {
      if (error instanceof Failure) return config;
      throw error;
    }
    return renamed(config, renaming);
  });
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

/** Moves the state, unless it was moved before. */
function moveState({ state, ...names }: Renaming): void {
  const [from, to] = [names.from, names.to].map((name) => profileStatePath({ state }, name)) as [
    string,
    string,
  ];
  if (!existsSync(from) || existsSync(to)) return;
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

function renamed({ current, profiles, ...config }: Config, { from, to, state }: Renaming): Config {
  const [fromPath, toPath] = [from, to].map((name) => profileStatePath({ state }, name)) as [string, string];
  const followed = (value: Json | undefined): Json | undefined =>
    typeof value === 'string' && value.startsWith(fromPath + sep)
      ? toPath + value.slice(fromPath.length)
      : value;
  const entries = Object.entries<JsonObject>({ [from]: {}, ...profiles }).map(
    ([name, settings]): [string, JsonObject] => [
      name === from ? to : name,
      Object.fromEntries(
        Object.entries(name === from ? withShop(settings, from) : settings).map(([key, value]) => [
          key,
          followed(value),
        ]),
      ),
    ],
  );
  return {
    ...config,
    ...((current ?? defaultProfileName) === from ? { current: to } : { current }),
    profiles: Object.fromEntries(entries),
  };
}

/** A state in a database is found by its shop, which is the profile where none is set. */
function withShop(settings: JsonObject, profile: string): JsonObject {
  return settings['state'] === undefined ? settings : { shop: profile, ...settings };
}
