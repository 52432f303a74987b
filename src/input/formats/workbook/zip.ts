import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { DiskFile } from '../../open/input-file.ts';

/** A workbook that violates the standard; the message describes the fault. */
export class BrokenWorkbook extends Error {
  override readonly name = 'BrokenWorkbook';
}

/** Bytes with random access: a file, or decrypted bytes. */
export interface ByteSource {
  readonly size: number;
  /** Reads up to `length` bytes from `start` on. */
  read(start: number, length: number): Promise<Buffer>;
}

/** Its reads throw the failures of `DiskFile`. */
export function fileSource(file: DiskFile): ByteSource {
  return { size: file.version.size, read: (start, length) => file.bytesAt(start, length) };
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
}

/** A file in a zip archive, according to the directory. */
interface ZipEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  /** 0 for stored, 8 for deflated; others are not supported. */
  readonly method: number;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Position of its local header. */
  readonly start: number;
}

/** The entries of a zip archive by name. */
export type ZipDirectory = ReadonlyMap<string, ZipEntry>;

/** Maximum length of the directory, in bytes; that of a workbook has a few dozen entries. */
const directoryMaximum = 1_048_576;

const endMark = Buffer.from('PK\u0005\u0006', 'latin1');
const endLength = 22;
/** Maximum length of the comment after the end of the directory: a 16-bit number. */
const commentMaximum = 65_535;

const entryMark = Buffer.from('PK\u0001\u0002', 'latin1');
const entryLength = 46;

/** Marks a number that does not fit and is stored in a Zip64 record. */
const zip64Sentinel = 0xffff_ffff;

/**
 * Reads the directory of a zip archive (APPNOTE 4.3.12 to 4.3.16). The file must begin with its first entry and end
 * with its directory, and no two entries may share bytes or a name.
 * @throws BrokenWorkbook if it is truncated, damaged or inconsistent.
 */
export async function readZipDirectory(source: ByteSource): Promise<ZipDirectory> {
  const { start, end, count } = await findDirectory(source);
  if (end - start > directoryMaximum) throw new BrokenWorkbook('its directory is too long');
  const entries = entriesOf(await source.read(start, end - start));
  if (entries.length !== count)
    throw new BrokenWorkbook('its directory lists a different number of files than it states');
  requireApart(entries, start);
  return new Map(entries.map((entry) => [entry.name, entry]));
}

async function findDirectory(source: ByteSource) {
  const tailLength = Math.min(source.size, endLength + commentMaximum);
  const tail = await source.read(source.size - tailLength, tailLength);
  const endAt = tail.lastIndexOf(endMark);
  if (endAt === -1 || tail.length - endAt < endLength) throw new BrokenWorkbook('it is cut short');
  const end = tail.subarray(endAt);
  const at = source.size - tailLength + endAt;
  const place = { count: end.readUInt16LE(10), length: end.readUInt32LE(12), start: end.readUInt32LE(16) };
  const zip64 = await findZip64Directory(source, at);
  const { count, length, start, endsAt } = zip64 ?? { ...place, endsAt: at };
  // If they differ, the file has further content, such as a second workbook after the first.
  if (start + length !== endsAt)
    throw new BrokenWorkbook('it contains more than one zip archive, or only a part of one');
  return { start, end: start + length, count };
}

const locatorMark = Buffer.from('PK\u0006\u0007', 'latin1');
const locatorLength = 20;
const zip64EndMark = Buffer.from('PK\u0006\u0006', 'latin1');
const zip64EndLength = 56;

/** The directory according to the Zip64 records before the end record at `endAt` (APPNOTE 4.3.14), if there are any. */
async function findZip64Directory(source: ByteSource, endAt: number) {
  const locator = await source.read(Math.max(0, endAt - locatorLength), locatorLength);
  if (!locator.subarray(0, 4).equals(locatorMark)) return undefined;
  const at = safeNumber(locator.readBigUInt64LE(8));
  const record = await source.read(at, zip64EndLength);
  if (record.length < zip64EndLength || !record.subarray(0, 4).equals(zip64EndMark))
    throw new BrokenWorkbook('its Zip64 records contradict each other');
  const [count, length, start] = [32, 40, 48].map((from) => safeNumber(record.readBigUInt64LE(from)));
  return { count: count ?? 0, length: length ?? 0, start: start ?? 0, endsAt: at };
}

function safeNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new BrokenWorkbook('it states sizes that no file can have');
  return Number(value);
}

function entriesOf(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at < directory.length; ) {
    const entry = directory.subarray(at);
    if (entry.length < entryLength || !entry.subarray(0, entryMark.length).equals(entryMark))
      throw new BrokenWorkbook('its directory is damaged');
    const extraAt = entryLength + entry.readUInt16LE(28);
    const extraLength = entry.readUInt16LE(30);
    entries.push({
      name: entry.toString('utf8', entryLength, extraAt),
      isEncrypted: (entry.readUInt16LE(8) & 1) === 1,
      method: entry.readUInt16LE(10),
      checksum: entry.readUInt32LE(16),
      ...placeOf(entry, entry.subarray(extraAt, extraAt + extraLength)),
    });
    at += extraAt + extraLength + entry.readUInt16LE(32);
  }
  return entries;
}

const sizesTag = 1;

/**
 * The sizes and position of an entry. Numbers that do not fit are in the extra field, in this order (APPNOTE 4.5.3).
 */
function placeOf(entry: Buffer, extra: Buffer): Pick<ZipEntry, 'packedBytes' | 'unpackedBytes' | 'start'> {
  let zip64 = zip64Numbers(extra);
  const [unpackedBytes = 0, packedBytes = 0, start = 0] = [24, 20, 42].map((from) => {
    const value = entry.readUInt32LE(from);
    if (value !== zip64Sentinel) return value;
    if (zip64.length < 8) throw new BrokenWorkbook('the size of one of its files is missing');
    const found = safeNumber(zip64.readBigUInt64LE());
    zip64 = zip64.subarray(8);
    return found;
  });
  return { unpackedBytes, packedBytes, start };
}

function zip64Numbers(extra: Buffer): Buffer {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === sizesTag)
      return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  }
  return Buffer.alloc(0);
}

/** Length of the fixed part of the local header before the bytes of each entry. */
const localHeaderLength = 30;

/** Requires that entries lie within the archive and do not overlap, as those of zip bombs do. */
function requireApart(entries: readonly ZipEntry[], directoryAt: number): void {
  if (new Set(entries.map(({ name }) => name.toLowerCase())).size !== entries.length)
    throw new BrokenWorkbook('two of its files have the same name');
  let free = 0;
  for (const { start, packedBytes, name } of entries.toSorted((one, other) => one.start - other.start)) {
    if (start < free || (free === 0 && start !== 0)) throw new BrokenWorkbook(`its files overlap at ${name}`);
    free = start + localHeaderLength + packedBytes;
    if (free > directoryAt) throw new BrokenWorkbook(`${name} is cut short`);
  }
}

/** Size of a read, in bytes. */
const chunkBytes = 65_536;
/**
 * Maximum ratio of unpacked to packed size; a part beyond it is a zip bomb. Rows differ at least in their number, so
 * sheets pack to about a thirtieth.
 */
const ratioMaximum = 400;
/** Unpacked size up to which any ratio is allowed. */
const harmlessBytes = 16_777_216;

const stored = 0;
const deflated = 8;

/**
 * Unpacks the bytes of an entry piece by piece.
 * @throws BrokenWorkbook if their length or checksum contradicts the directory, and the failures of `source.read`.
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
    throw new BrokenWorkbook(`${name} is compressed with an unknown method`);
  if (unpackedBytes > harmlessBytes && unpackedBytes > packedBytes * ratioMaximum)
    throw new BrokenWorkbook(`${name} would unpack to more than ${ratioMaximum} times its size`);
}

/** The position of an entry's bytes, which follow its local header. */
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
  return new BrokenWorkbook(`${name} does not match its entry in the directory of the file`);
}
