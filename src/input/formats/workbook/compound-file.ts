import { BrokenWorkbook } from './broken-workbook.ts';

const headerBytes = 512;
const entryBytes = 128;
/** Streams with fewer bytes are in the small sectors. */
const smallStreamMaximum = 4_096;
const smallSectorBytes = 64;
/** The numbers from here on are not sectors; a chain ends with one of them. */
const firstMark = 0xffff_fffa;

/**
 * The streams of an OLE container (MS-CFB 2), the format of Office before zip, which still contains encrypted
 * documents.
 */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #sectors: readonly number[];
  readonly #smallSectors: readonly number[];
  readonly #directory: Buffer;
  readonly #smallStream: Buffer;

  /** @throws BrokenWorkbook if it is damaged. */
  constructor(bytes: Buffer) {
    if (bytes.length < headerBytes) throw new BrokenWorkbook('it is cut short');
    this.#bytes = bytes;
    this.#sectorBytes = bytes.readUInt16LE(30) === 12 ? 4_096 : 512;
    this.#sectors = this.#table();
    this.#directory = this.#chain(bytes.readUInt32LE(48));
    const small = this.#chain(bytes.readUInt32LE(60));
    this.#smallSectors = numbersIn(small);
    // The first entry is the root, which contains the small sectors.
    this.#smallStream = this.#chain(this.#directory.readUInt32LE(116));
  }

  /** The stream with this name in any folder. @throws BrokenWorkbook if there is none. */
  stream(name: string): Buffer {
    const wanted = `${name}\0`;
    for (let at = 0; at + entryBytes <= this.#directory.length; at += entryBytes) {
      const entry = this.#directory.subarray(at, at + entryBytes);
      if (entry.toString('utf16le', 0, Math.min(64, entry.readUInt16LE(64))) === wanted)
        return this.#streamOf(entry);
    }
    throw new BrokenWorkbook(`it lacks ${name}`);
  }

  #streamOf(entry: Buffer): Buffer {
    const [start, length] = [entry.readUInt32LE(116), entry.readUInt32LE(120)];
    const content =
      length < smallStreamMaximum
        ? joined(this.#smallStream, chainFrom(start, this.#smallSectors), smallSectorBytes, 0)
        : this.#chain(start);
    if (content.length < length) throw new BrokenWorkbook('it is cut short');
    return content.subarray(0, length);
  }

  #chain(start: number): Buffer {
    return joined(this.#bytes, chainFrom(start, this.#sectors), this.#sectorBytes, this.#sectorBytes);
  }

  /** The next sector of each sector. This table is in the sectors that the header lists, then in a chain of lists. */
  #table(): readonly number[] {
    const places = numbersIn(this.#bytes.subarray(76, headerBytes));
    const limit = this.#bytes.length / this.#sectorBytes;
    let next = this.#bytes.readUInt32LE(68);
    for (let count = 0; next < firstMark && count < limit; count += 1) {
      const list = numbersIn(joined(this.#bytes, [next], this.#sectorBytes, this.#sectorBytes));
      next = list.pop() ?? firstMark;
      places.push(...list);
    }
    const used = places.filter((sector) => sector < firstMark);
    return numbersIn(joined(this.#bytes, used, this.#sectorBytes, this.#sectorBytes));
  }
}

function chainFrom(start: number, nextOf: readonly number[]): readonly number[] {
  const chain: number[] = [];
  for (let at = start; at < firstMark; at = nextOf[at] ?? firstMark) {
    if (chain.length >= nextOf.length) throw new BrokenWorkbook('its sectors run in a circle');
    chain.push(at);
  }
  return chain;
}

function joined(bytes: Buffer, sectors: readonly number[], length: number, headerLength: number): Buffer {
  return Buffer.concat(
    sectors.map((sector) => {
      const start = headerLength + sector * length;
      if (start >= bytes.length) throw new BrokenWorkbook('it is cut short');
      return bytes.subarray(start, start + length);
    }),
  );
}

function numbersIn(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}
