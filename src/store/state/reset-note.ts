import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';

/** Whether this service was seen to reset what an update leaves out. */
export function areResetsSeen(folder: string): boolean {
  return existsSync(notePath(folder));
}

/** Notes that it was. @throws Failure('unwritable-path') if that cannot be written. */
export function noteResets(folder: string): void {
  const path = notePath(folder);
  try {
    replaceAtomically(path, '', 'power');
  } catch (error) {
    throw new Failure(
      'unwritable-path',
      `${path}, which notes that this service resets what an update leaves out, cannot be written: ${messageOf(error)}`,
      'see that its disk has room and that you may write to its folder',
      { cause: error },
    );
  }
}

function notePath(folder: string): string {
  return join(folder, 'resets-on-update');
}
