import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import type { CheckpointPlace, NamedCheckpoint } from './stored-checkpoint.ts';

/** The name of the file of a checkpoint, and of the lock of those who use it. */
export function checkpointName(list: string, name: string): string {
  return `since-last-${list}-${name}.json`;
}

const namePattern = /^since-last-(?<list>[A-Za-z]+)-(?<name>.+)\.json$/;

/** The checkpoints in a folder of the state. */
export function checkpointsIn(folder: string): readonly NamedCheckpoint[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    const { list, name } = namePattern.exec(file)?.groups ?? {};
    if (list === undefined || name === undefined) return [];
    return [{ list, name, place: checkpointFile(folder, list, name) }];
  });
}

/** The checkpoint of a list and a name in a folder of the state. */
export function checkpointFile(folder: string, list: string, name: string): CheckpointPlace {
  const path = join(folder, checkpointName(list, name));
  return {
    path,
    isFile: true,
    // An empty file is none.
    read: async () => (existsSync(path) ? readText(path) || undefined : undefined),
    write: async (text) => {
      try {
        replaceAtomically(path, text, 'power');
      } catch (error) {
        throw new Failure(
          'config',
          `the checkpoint of the list cannot be written to ${path}: ${messageOf(error)}`,
          'see that its disk has room and that you may write to its folder; the next run shows the same records again',
          { cause: error },
        );
      }
    },
  };
}

function readText(path: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw new Failure(
      'config',
      `the checkpoint ${path} cannot be read: ${messageOf(error)}`,
      'see that you may read it, or choose another name for --since-last, which shows everything once more',
      { cause: error },
    );
  }
}
