import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pieceBytes } from './bytes.ts';
import type { InputFiles } from './open.ts';

/**
 * The SHA-256 of the bytes of all files, one after the other, as `cat FILES | sha256sum` prints it. Pipes must have
 * been opened to be read again.
 * @throws Failure('input') for a file that changed since it was opened.
 */
export async function digestInput({ files }: InputFiles): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const stored = await file.onDisk();
    for await (const bytes of createReadStream(stored.path, { highWaterMark: pieceBytes }))
      hash.update(bytes);
    await stored.checkUnchanged();
  }
  return hash.digest('hex');
}
