import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { BrokenWorkbook } from './broken-workbook.ts';
import type { ByteSource } from './byte-source.ts';
import { localHeaderLength, type ZipEntry } from './zip-directory.ts';

/** The size of a read, in bytes. */
const chunkBytes = 65_536;
/**
 * A part that unpacks to more than this many times its size is a zip bomb: rows differ at least in their number, so
 * sheets pack to about a thirtieth.
 */
const ratioMaximum = 400;
/** Up to this size, any ratio is allowed. */
const harmlessBytes = 16_777_216;

const stored = 0;
const deflated = 8;

/**
 * The bytes of an entry, unpacked piece by piece. Their length and checksum must agree with the directory.
 * @throws BrokenWorkbook if they do not, and as `source.read`.
 */
export async function* unpackEntry(source: ByteSource, entry: ZipEntry): AsyncGenerator<Buffer> {
  requireReadable(entry);
  const packed = packedBytesOf(source, entry, await dataStart(source, entry));
  let length = 0;
  let checksum = 0;
  for await (const bytes of entry.method === stored ? packed : inflated(packed, entry)) {
    length += bytes.length;
    if (length > entry.unpackedBytes) throw unlike(entry);
    checksum = crc32(bytes, checksum);
    yield bytes;
  }
  if (length !== entry.unpackedBytes || checksum !== entry.checksum) throw unlike(entry);
}

function requireReadable({ name, method, isEncrypted, packedBytes, unpackedBytes }: ZipEntry): void {
  if (isEncrypted) throw new BrokenWorkbook(`${name} is encrypted by a zip program`);
  if (method !== stored && method !== deflated)
    throw new BrokenWorkbook(`${name} is packed by an unknown method`);
  if (unpackedBytes > harmlessBytes && unpackedBytes > packedBytes * ratioMaximum)
    throw new BrokenWorkbook(`${name} would unpack to more than ${ratioMaximum} times its size`);
}

/** The position of an entry's bytes, after its local header, which repeats its name. */
async function dataStart(source: ByteSource, { start, name }: ZipEntry): Promise<number> {
  const header = await source.read(start, localHeaderLength);
  if (header.length < localHeaderLength || header.toString('latin1', 0, 4) !== 'PK\u0003\u0004')
    throw new BrokenWorkbook(`the header of ${name} is damaged`);
  return start + localHeaderLength + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function* packedBytesOf(
  source: ByteSource,
  { name, packedBytes }: ZipEntry,
  start: number,
): AsyncGenerator<Buffer> {
  for (let done = 0; done < packedBytes; ) {
    const bytes = await source.read(start + done, Math.min(chunkBytes, packedBytes - done));
    if (bytes.length === 0) throw new BrokenWorkbook(`${name} is cut short`);
    done += bytes.length;
    yield bytes;
  }
}

async function* inflated(packed: AsyncIterable<Buffer>, { name }: ZipEntry): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false, highWaterMark: chunkBytes });
  const inflate = createInflateRaw({ chunkSize: chunkBytes });
  source.on('error', (error) => inflate.destroy(error));
  try {
    for await (const bytes of source.pipe(inflate)) yield bytes;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new BrokenWorkbook(`${name} is damaged`, { cause: error });
    throw error;
  } finally {
    source.destroy();
    inflate.destroy();
  }
}

function unlike({ name }: ZipEntry): BrokenWorkbook {
  return new BrokenWorkbook(`${name} is not what the directory of the file says of it`);
}
