import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { isThere } from '../../base/regular-file.ts';

/**
 * Replaces a note in the folder of a state. It survives a loss of power once this returns. `role` describes it in
 * messages: `records the account of this folder`.
 * @throws Failure('unwritable-path') if it cannot be written.
 */
export function writeNote(
  path: string,
  text: string,
  role: string,
  next = ', then run the same command again',
): void {
  try {
    replaceAtomically(path, text, 'power');
  } catch (error) {
    throw new Failure(
      'unwritable-path',
      `${path}, which ${role}, cannot be written: ${messageOf(error)}`,
      `check that its disk has free space and that you may write to its folder${next}`,
      { cause: error },
    );
  }
}

/** True if this service was seen to reset fields left out of an update. */
export function areResetsSeen(folder: string): boolean {
  return isThere(resetPath(folder));
}

/** Records that it was. @throws as `writeNote`. */
export function noteResets(folder: string): void {
  writeNote(resetPath(folder), '', 'notes that this service resets what an update leaves out', '');
}

function resetPath(folder: string): string {
  return join(folder, 'resets-on-update');
}
