import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../base/atomic-file.ts';
import { Failure, messageOf } from '../base/failure.ts';
import { requireOwn } from '../base/path-exposure.ts';

/** A hint for moving the state; it names what is lost without it. */
export const movedState =
  'set REVIEWCTL_STATE_DIR to a writable folder and move the content of this one there: without its journal, ' +
  'every record is sent again';

/** The environment variables of this process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of settings, and the folder of state that outlives a run. */
export interface Folders {
  readonly config: string;
  readonly state: string;
}

/**
 * REVIEWCTL_CONFIG_DIR and REVIEWCTL_STATE_DIR, else the XDG folders.
 * @throws Failure('config') if one of them would be in the home folder, and the user has none.
 */
export function findFolders(env: Environment): Folders {
  return {
    config: env['REVIEWCTL_CONFIG_DIR'] || join(xdgFolder(env['XDG_CONFIG_HOME'], '.config'), 'reviewctl'),
    state: env['REVIEWCTL_STATE_DIR'] || join(xdgFolder(env['XDG_STATE_HOME'], '.local/state'), 'reviewctl'),
  };
}

/** The path of a profile's state, which may not exist; it has a folder for each service. */
export function profileStatePath({ state }: Pick<Folders, 'state'>, profile: string): string {
  return join(state, profile);
}

/**
 * The path of the state folder of one profile at one service. It may not exist: commands that write nothing do not
 * create it. The service is part of the path, because what one service has accepted says nothing about another.
 */
export function stateFolderPath({ state }: Pick<Folders, 'state'>, profile: string, service: URL): string {
  const host = service.host.replaceAll(/[^\w.-]/g, '_');
  // Escaped, not replaced: `/a/b` and `/a_b` are two services.
  const path = encodeURIComponent(service.pathname.replace(/(?<!\/)\/+$/, ''));
  return join(profileStatePath({ state }, profile), host + path);
}

/**
 * Returns the folder of `stateFolderPath` and creates it for this user alone if missing.
 * @throws Failure('config') if it cannot be created, or if other users could change its content.
 */
export function stateFolder(folders: Folders, profile: string, service: URL): string {
  const folder = stateFolderPath(folders, profile, service);
  try {
    makeFolder(folder, 'power');
  } catch (error) {
    throw new Failure(
      'config',
      `the state folder ${folder} cannot be made: ${messageOf(error)}`,
      `check the folder's permissions; or ${movedState}`,
      { cause: error },
    );
  }
  requireOwn(folder, 'config', 'decides what is sent and paid');
  return folder;
}

/** The XDG specification ignores paths that are not absolute. */
function xdgFolder(value: string | undefined, fallback: string): string {
  return value !== undefined && isAbsolute(value) ? value : join(homeFolder(), fallback);
}

/** In a container, the list of users may not contain this user, and HOME may be unset or empty. */
function homeFolder(): string {
  let folder = '';
  try {
    folder = homedir();
  } catch {
    // Refused below.
  }
  if (isAbsolute(folder)) return folder;
  throw new Failure(
    'config',
    'this user has no home folder, and HOME does not name one',
    'set HOME, or both REVIEWCTL_CONFIG_DIR and REVIEWCTL_STATE_DIR, to folders that are kept',
  );
}
