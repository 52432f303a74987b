import { bytesAt } from './bytes.ts';
import type { InputFile } from './open.ts';

/** What the directory at the end of a zip archive says of its entries. */
export interface ZipDirectory {
  readonly names: ReadonlySet<string>;
  /** The bytes all entries have together when they are unpacked. */
  readonly unpackedBytes: number;
}

/** The longest directory that is read; that of a workbook has some tens of entries. */
const directoryMaximum = 1_048_576;

const endMark = Buffer.from('PK\u0005\u0006', 'latin1');
const endLength = 22;
/** The end may be followed by a comment of as many bytes as two bytes can count. */
const commentMaximum = 65_535;

const entryMark = Buffer.from('PK\u0001\u0002', 'latin1');
const entryLength = 46;

/** Reads the directory of a zip archive (APPNOTE 4.3.12, 4.3.16); undefined where it is cut short or damaged. */
export async function readZipDirectory(file: InputFile): Promise<ZipDirectory | undefined> {
  const tailLength = Math.min(file.version.size, endLength + commentMaximum);
  const tail = await bytesAt(file, file.version.size - tailLength, tailLength);
  const end = tail.subarray(Math.max(0, tail.lastIndexOf(endMark)));
  if (!end.subarray(0, endMark.length).equals(endMark) || end.length < endLength) return undefined;
  const length = end.readUInt32LE(12);
  if (length > directoryMaximum) return undefined;
  return entriesOf(await bytesAt(file, end.readUInt32LE(16), length));
}

function entriesOf(directory: Buffer): ZipDirectory | undefined {
  const names = new Set<string>();
  let unpackedBytes = 0;
  for (let at = 0; at < directory.length; ) {
    const entry = directory.subarray(at);
    if (entry.length < entryLength || !entry.subarray(0, entryMark.length).equals(entryMark))
      return undefined;
    const nameLength = entry.readUInt16LE(28);
    const extraAt = entryLength + nameLength;
    const extraLength = entry.readUInt16LE(30);
    names.add(entry.toString('utf8', entryLength, extraAt));
    unpackedBytes += unpackedSize(entry.readUInt32LE(24), entry.subarray(extraAt, extraAt + extraLength));
    at += extraAt + extraLength + entry.readUInt16LE(32);
  }
  return { names, unpackedBytes };
}

/** What a size says that stands in the extra field instead, as Java programs write it for small files too. */
const sizeElsewhere = 0xffff_ffff;
const sizesTag = 1;

/** The unpacked size of an entry; the extra field holds the true one where the entry has no room (APPNOTE 4.5.3). */
function unpackedSize(size: number, extra: Buffer): number {
  if (size !== sizeElsewhere) return size;
  for (let at = 0; at + 12 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === sizesTag) return Number(extra.readBigUInt64LE(at + 4));
  }
  return size;
}
