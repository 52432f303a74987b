import { pipeline, Readable } from 'node:stream';

/** Size of the pieces in which a file is read, in bytes. Larger ones are slower: more rows are alive at once. */
export const pieceBytes = 65_536;

/** The bytes of a stream, unpacked if necessary. */
export interface Unpacked {
  readonly isPacked: boolean;
  readonly pieces: AsyncGenerator<Buffer>;
}

/** Unpacks the bytes of `source` if they begin like gzip. */
export async function unpack(source: AsyncIterable<Buffer | string>): Promise<Unpacked> {
  const raw = inPieces(source);
  const first = await raw.next();
  const pieces = startingWith(first, raw);
  if (first.done || !isGzip(first.value)) return { isPacked: false, pieces };
  const { createGunzip } = await import('node:zlib');
  // Reading the second stream throws the errors of both.
  const unpacked = pipeline(Readable.from(pieces), createGunzip({ chunkSize: pieceBytes }), () => undefined);
  return { isPacked: true, pieces: inPieces(unpacked) };
}

/** True if bytes begin like a gzip file. */
export function isGzip(head: Buffer): boolean {
  return head.subarray(0, gzipMark.length).equals(gzipMark);
}

/** The magic number and deflate, the only method (RFC 1952). */
const gzipMark = Buffer.from([0x1f, 0x8b, 0x08]);

/**
 * Yields the bytes of `source` in pieces of `pieceBytes`; only the last one is shorter. Pipes deliver pieces of any
 * size. All bytes before an error are yielded.
 */
async function* inPieces(source: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      held.push(bytes);
      length += bytes.length;
      if (length < pieceBytes) continue;
      const joined = held.length === 1 ? bytes : Buffer.concat(held, length);
      let at = 0;
      for (; at + pieceBytes <= length; at += pieceBytes) yield joined.subarray(at, at + pieceBytes);
      held = at === length ? [] : [joined.subarray(at)];
      length -= at;
    }
  } catch (error) {
    failure = { error };
  }
  if (length > 0) yield Buffer.concat(held, length);
  if (failure !== undefined) throw failure.error;
}

/** Yields `first` before `others`. */
export async function* startingWith<T>(
  first: IteratorResult<T>,
  others: AsyncGenerator<T>,
): AsyncGenerator<T> {
  try {
    if (!first.done) yield first.value;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}
