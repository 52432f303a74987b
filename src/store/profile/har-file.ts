import { closeSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { version } from '../../base/version.ts';

/** A recording of exchanges, as HAR 1.2. */
export interface HarFile {
  /** Adds an entry. Throws what the system throws; then the file holds the entries before it. */
  append(entry: object): void;
  close(): void;
}

const end = '\n]}}\n';
const creator = JSON.stringify({ name: 'reviewctl', version });
const comment = JSON.stringify('without credentials, and with words in place of what is about persons');
const head = `{"log":{"version":"1.2","creator":${creator},"comment":${comment},"entries":[`;

/**
 * Makes the file, for this user alone. It is whole after each entry, whatever ends the process then: the next entry
 * takes the place of the end. Nothing of it is kept in memory.
 * @throws Failure('usage') where there is a file of this name, which is never overwritten; Failure('unwritable-path')
 *   where none can be made.
 */
export function createHarFile(path: string): HarFile {
  const file = openNew(path);
  let length = begin(file, path);
  let separator = '\n';
  return {
    append: (entry) => {
      try {
        const added = write(file, `${separator}${JSON.stringify(entry)}`, length);
        write(file, end, length + added);
        length += added;
        separator = ',\n';
      } catch (error) {
        ftruncateSync(file, length);
        write(file, end, length);
        throw error;
      }
    },
    close: () => closeSync(file),
  };
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST')
      throw new Failure(
        'usage',
        `--record: ${path} exists already, and is not overwritten`,
        'name another file, or remove this one first',
        { cause: error },
      );
    throw new Failure(
      'unwritable-path',
      `--record: ${path} cannot be created: ${messageOf(error)}`,
      'name a file in a folder that exists and that you may write to',
      { cause: error },
    );
  }
}

/** Writes a recording without entries; returns where the first one goes. Where that fails, nothing is left behind. */
function begin(file: number, path: string): number {
  try {
    const length = write(file, head, 0);
    write(file, end, length);
    return length;
  } catch (error) {
    closeSync(file);
    unlinkSync(path);
    throw new Failure(
      'unwritable-path',
      `--record: ${path} cannot be written: ${messageOf(error)}`,
      'see that its disk has room, or name a file on another one',
      { cause: error },
    );
  }
}

/** Writes all of `text` at `position`, and returns how many bytes it is. */
function write(file: number, text: string, position: number): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
  return bytes.length;
}
