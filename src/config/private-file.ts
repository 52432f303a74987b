import { statSync } from 'node:fs';
import { Failure, messageOf } from '../base/failure.ts';
import { exposureOf } from '../base/path-exposure.ts';
import { isGivenOpen, readFileOrGiven } from '../base/regular-file.ts';
import type { Environment } from './folders.ts';
import { isMountedSecret, mountedRemedy } from './mounted-secret.ts';

/** The process that reads a file of secrets. */
export interface PrivateFileReader {
  readonly env: Environment;
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Reads a file of secrets, named by `flag`. Others may read it only if it is a mounted secret.
 * @throws Failure('config') if others may read it; Failure('unreadable-path') if it cannot be read; the reason of
 * `stopping`.
 */
export async function readPrivateFile(
  path: string,
  flag: string,
  { env, stopping }: PrivateFileReader,
): Promise<string> {
  try {
    const stats = statSync(path);
    // An inherited descriptor cannot be opened by others through its path.
    const exposure = isGivenOpen(path) ? undefined : exposureOf(path, stats, process.getuid?.());
    if (exposure !== undefined && !isMountedSecret(path, stats, env)) {
      throw new Failure(
        'config',
        `${path} ${exposure.why}, and it holds secrets`,
        `${exposure.remedy}; ${mountedRemedy}`,
      );
    }
    return await readFileOrGiven(path, stopping);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'unreadable-path',
      `the file ${path} cannot be read: ${messageOf(error)}`,
      `check ${flag}`,
      { cause: error },
    );
  }
}
