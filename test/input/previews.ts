import { type RecognizedFile, recognize } from '../../src/input/mapping/recognize.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import { type Files, plainOptions, surroundings, withFiles } from './reading.ts';

/** Recognizes the first of `files`. */
export function previewOf(files: Files, options: Partial<InputOptions> = {}): Promise<RecognizedFile> {
  return withFiles(files, async (paths) => {
    const input = await openInput(paths, surroundings());
    const [file] = input.files;
    if (!file) throw new Error('no file');
    return recognize(file, { ...plainOptions, ...options });
  });
}
