import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { Failure, messageOf, systemCodeOf } from '../base/failure.ts';
import type { InputFile } from './open.ts';

/** How much of a file is in memory at once, in bytes. More is slower: too many rows then live at once. */
const chunkBytes = 65_536;

/**
 * The bytes of a file in pieces of at most 64 KiB; what gzip packed (whatever the file's name) is unpacked piece by piece, so
 * memory is the same however much comes out. `broken-gzip` comes last where the packed data is damaged or cut short.
 * Throws `unreadable-path` when the disk fails.
 */
export async function* bytesOf(file: InputFile): AsyncGenerator<Buffer | 'broken-gzip'> {
  try {
    yield* (await isGzip(file))
      ? await unpacked(file)
      : createReadStream(file.path, { highWaterMark: chunkBytes });
  } catch (error) {
    if (systemCodeOf(error)?.startsWith('Z_')) yield 'broken-gzip';
    else throw unreadable(file, error);
  }
}

/** The first bytes of a file, unpacked; at most `length` of them, fewer where the file or its first piece is shorter. */
export async function firstBytes(file: InputFile, length: number): Promise<Buffer> {
  for await (const bytes of bytesOf(file))
    return bytes === 'broken-gzip' ? noBytes : bytes.subarray(0, length);
  return noBytes;
}

/** The `length` bytes of a file from `start` on, as they are; fewer where the file ends before. Throws `unreadable-path`. */
export async function bytesAt(file: InputFile, start: number, length: number): Promise<Buffer> {
  try {
    const handle = await open(file.path);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Whether a file is packed by gzip; told by its first bytes. */
export async function isGzip(file: InputFile): Promise<boolean> {
  return (await bytesAt(file, 0, gzipMark.length)).equals(gzipMark);
}

const noBytes = Buffer.alloc(0);
/** The magic number, and deflate, the one method there is (RFC 1952). */
const gzipMark = Buffer.from([0x1f, 0x8b, 0x08]);

async function unpacked(file: InputFile): Promise<Readable> {
  const { createGunzip } = await import('node:zlib');
  // What goes wrong in either stream comes out of the second, where it is read.
  return pipeline(createReadStream(file.path), createGunzip({ chunkSize: chunkBytes }), () => undefined);
}

function unreadable(file: InputFile, error: unknown): Failure {
  return new Failure(
    'unreadable-path',
    `${file.shownAs} cannot be read: ${messageOf(error)}`,
    'check the disk, then run the command again',
    { file: file.shownAs, cause: error },
  );
}
