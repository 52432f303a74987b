import { type Beginning, readBeginning } from '../../src/input/beginning.ts';
import { openInput } from '../../src/input/open.ts';
import type { InputOptions } from '../../src/input/place.ts';
import { type Files, plainOptions, surroundings, withFiles } from './reading.ts';

/** How the first of `files` begins. */
export function beginningOf(files: Files, options: Partial<InputOptions> = {}): Promise<Beginning> {
  return withFiles(files, async (paths) => {
    const input = await openInput(paths, surroundings());
    const [file] = input.files;
    if (!file) throw new Error('no file');
    return readBeginning(file, { ...plainOptions, ...options });
  });
}
