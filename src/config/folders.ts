import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../base/atomic-file.ts';
import { Failure, messageOf } from '../base/failure.ts';
import { requireOwn } from '../base/path-exposure.ts';

/** How to keep the state elsewhere, and what would be lost without it. */
export const movedState =
  'set REVIEWCTL_STATE_DIR to a folder you may write to and move there what is kept here: without its journal, ' +
  'every record is sent again';

/** The environment variables of this process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where settings are kept, and where runs keep what must survive them. */
export interface Folders {
  readonly config: string;
  readonly state: string;
}

/** REVIEWCTL_CONFIG_DIR and REVIEWCTL_STATE_DIR, else the XDG folders. */
export function findFolders(env: Environment): Folders {
  return {
    config: env['REVIEWCTL_CONFIG_DIR'] || join(xdgFolder(env['XDG_CONFIG_HOME'], '.config'), 'reviewctl'),
    state: env['REVIEWCTL_STATE_DIR'] || join(xdgFolder(env['XDG_STATE_HOME'], '.local/state'), 'reviewctl'),
  };
}

/** Where the state of a profile is, with a folder for each service, or would be. */
export function profileStatePath({ state }: Pick<Folders, 'state'>, profile: string): string {
  return join(state, profile);
}

/**
 * Where the folder for the state of one profile at one service is, or would be: what writes nothing makes none. The
 * service is part of it: what one service has taken says nothing of another.
 */
export function stateFolderPath({ state }: Pick<Folders, 'state'>, profile: string, service: URL): string {
  const host = service.host.replaceAll(/[^\w.-]/g, '_');
  // Escaped, not replaced: `/a/b` and `/a_b` are two services.
  const path = encodeURIComponent(service.pathname.replace(/(?<!\/)\/+$/, ''));
  return join(profileStatePath({ state }, profile), host + path);
}

/**
 * The folder of `stateFolderPath`, made for this user alone where it is missing.
 * @throws Failure('config') where it cannot be made, or other users could change what is kept there.
 */
export function stateFolder(folders: Folders, profile: string, service: URL): string {
  const folder = stateFolderPath(folders, profile, service);
  try {
    makeFolder(folder, 'power');
  } catch (error) {
    throw new Failure(
      'config',
      `the state folder ${folder} cannot be made: ${messageOf(error)}`,
      `see that you may write there; or ${movedState}`,
      { cause: error },
    );
  }
  requireOwn(folder, 'config', 'decides what is sent and paid');
  return folder;
}

/** The XDG specification takes absolute paths only and ignores others. */
function xdgFolder(value: string | undefined, fallback: string): string {
  return value !== undefined && isAbsolute(value) ? value : join(homedir(), fallback);
}
