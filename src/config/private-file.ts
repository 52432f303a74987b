import { readFileSync, statSync } from 'node:fs';
import { Failure, messageOf } from '../base/failure.ts';
import { exposureOf } from './private-path.ts';

/**
 * The text of a file that holds secrets, named by `flag`.
 * @throws Failure('config') where others may read it; Failure('unreadable-path') where it cannot be read.
 */
export function readPrivateFile(path: string, flag: string): string {
  try {
    const exposure = exposureOf(path, statSync(path), process.getuid?.());
    if (exposure !== undefined) {
      throw new Failure('config', `${path} ${exposure.why}, and it holds secrets`, exposure.remedy);
    }
    return readFileSync(path, 'utf8');
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
