import { existsSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import type { Environment } from './folders.ts';

/** The variable in which systemd passes the folder of a unit's credentials. */
export const credentialsVariable = 'CREDENTIALS_DIRECTORY';

/** The folder where Docker, Podman and, by convention, Kubernetes mount secrets. */
const secretsFolder = '/run/secrets';

/** The volume sets the permissions of a secret that Kubernetes mounts, and `fsGroup` lets its group read it. */
export const mountedRemedy = 'mount a secret of Kubernetes below /run/secrets, with defaultMode: 0400';

/** The path `$CREDENTIALS_DIRECTORY/reviewctl-token`; undefined if there is no such file. */
export function credentialsToken(env: Environment): string | undefined {
  const folder = credentialsFolder(env);
  if (folder === undefined) return undefined;
  const path = join(folder, 'reviewctl-token');
  return existsSync(path) ? path : undefined;
}

/**
 * True if a file is a secret as containers and systemd mount them: nobody may write to it, and it lies below
 * /run/secrets or $CREDENTIALS_DIRECTORY, which only the container or the unit sees. So others may be allowed to read
 * it. Links within the folder are followed, because Kubernetes creates them; a link out of it is not trusted.
 */
export function isMountedSecret(path: string, { mode }: Pick<Stats, 'mode'>, env: Environment): boolean {
  if ((mode & 0o222) !== 0) return false;
  const folders = [secretsFolder, credentialsFolder(env)];
  return folders.some((folder) => folder !== undefined && liesBelow(path, folder));
}

function credentialsFolder(env: Environment): string | undefined {
  const folder = env[credentialsVariable];
  return folder && isAbsolute(folder) ? folder : undefined;
}

function liesBelow(path: string, folder: string): boolean {
  return existsSync(folder) && realpathSync(path).startsWith(realpathSync(folder) + sep);
}
