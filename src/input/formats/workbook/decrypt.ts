import { createDecipheriv, createHash } from 'node:crypto';
import type { DiskFile } from '../../open/input-file.ts';
import { attribute, XmlReader } from './xml.ts';
import { BrokenWorkbook } from './zip.ts';

/** A protected workbook for which the password is missing or wrong. */
export class LockedWorkbook extends Error {
  override readonly name = 'LockedWorkbook';
  readonly isPasswordWrong: boolean;

  constructor(isPasswordWrong: boolean) {
    super('the workbook is protected');
    this.isPasswordWrong = isPasswordWrong;
  }
}

/** Maximum size of a protected workbook, in bytes. It is decrypted in memory. */
const encryptedMaximum = 268_435_456;

/**
 * Decrypts a protected workbook (MS-OFFCRYPTO 2.3.4) in memory.
 * @throws LockedWorkbook if the password is missing or wrong, BrokenWorkbook if the workbook is damaged or its
 * encryption is unknown.
 */
export async function decryptWorkbook(file: DiskFile, password: string | undefined): Promise<Buffer> {
  if (password === undefined) throw new LockedWorkbook(false);
  if (file.version.size > encryptedMaximum) throw new BrokenWorkbook('it is too large to be decrypted');
  const container = new CompoundFile(await file.bytesAt(0, file.version.size));
  const info = container.stream('EncryptionInfo');
  const cipher =
    info.readUInt16LE(0) === 4 && info.readUInt16LE(2) === 4 ? agileCipher(info) : standardCipher(info);
  const decrypt = cipher(Buffer.from(password, 'utf16le'));
  if (decrypt === undefined) throw new LockedWorkbook(true);
  const encrypted = container.stream('EncryptedPackage');
  const length = Number(encrypted.readBigUInt64LE());
  return decrypt(encrypted.subarray(8)).subarray(0, length);
}

/** Returns the decryption for a password; undefined if the password is wrong. */
type Cipher = (password: Buffer) => ((encrypted: Buffer) => Buffer) | undefined;

/** The encryption since Excel 2010, with settings in XML (MS-OFFCRYPTO 2.3.4.10 to 2.3.4.15). */
function agileCipher(info: Buffer): Cipher {
  const { data, key } = agileSettings(info.toString('utf8', 8));
  return (password) => {
    const spun = spin(key.hash, Buffer.concat([key.salt, password]), key.spinCount);
    const decryptField = (name: string, purpose: string) =>
      decryptBlocks(
        'cbc',
        resized(hashOf(key.hash, spun, Buffer.from(purpose, 'hex')), key.keyBytes),
        key.field(name),
        key.salt,
      );
    const input = decryptField('encryptedVerifierHashInput', 'fea7d2763b4b9e79');
    const verifier = decryptField('encryptedVerifierHashValue', 'd7aa0f6d3061344e');
    const expected = hashOf(key.hash, input);
    if (!verifier.subarray(0, expected.length).equals(expected)) return undefined;
    const secret = decryptField('encryptedKeyValue', '146e0be7abacd0d6').subarray(0, key.keyBytes);
    return (encrypted) => decryptSegments(encrypted, secret, data);
  };
}

/** Size of encrypted segments, in bytes. */
const segmentBytes = 4_096;

function decryptSegments(encrypted: Buffer, secret: Buffer, { hash, salt }: AgileSettings): Buffer {
  const count = Math.ceil(encrypted.length / segmentBytes);
  const segments = Array.from({ length: count }, (_, index) => {
    const segment = encrypted.subarray(index * segmentBytes, (index + 1) * segmentBytes);
    return decryptBlocks('cbc', secret, segment, hashOf(hash, salt, numberBytes(index)));
  });
  return Buffer.concat(segments);
}

interface AgileSettings {
  readonly hash: string;
  readonly salt: Buffer;
  readonly keyBytes: number;
  readonly spinCount: number;
  field(name: string): Buffer;
}

/** Maximum number of key derivation rounds; Office uses 100,000. */
const spinMaximum = 1_000_000;

function agileSettings(xml: string) {
  const found = new Map<string, AgileSettings>();
  const reader = new XmlReader({
    open: (name, tag) => {
      if (name === 'keyData' || name === 'encryptedKey') found.set(name, settingsIn(tag));
    },
    text: () => undefined,
    close: () => undefined,
  });
  reader.read(xml);
  const [data, key] = [found.get('keyData'), found.get('encryptedKey')];
  if (data === undefined || key === undefined) throw unknownEncryption();
  return { data, key };
}

function settingsIn(tag: string): AgileSettings {
  const field = (name: string) => Buffer.from(attribute(tag, name) ?? '', 'base64');
  const hash = (attribute(tag, 'hashAlgorithm') ?? '').replace('-', '').toLowerCase();
  const keyBytes = Number(attribute(tag, 'keyBits')) / 8;
  const spinCount = Number(attribute(tag, 'spinCount') ?? 0);
  const isKnown =
    /^sha(?:1|256|384|512)$/.test(hash) &&
    [16, 24, 32].includes(keyBytes) &&
    attribute(tag, 'cipherAlgorithm') === 'AES' &&
    attribute(tag, 'cipherChaining') === 'ChainingModeCBC' &&
    spinCount <= spinMaximum;
  if (!isKnown) throw unknownEncryption();
  return { hash, keyBytes, spinCount, salt: field('saltValue'), field };
}

const standardSpinCount = 50_000;
const aesKinds: ReadonlySet<number> = new Set([0x660e, 0x660f, 0x6610]);

/** The encryption of Excel 2007 and of many other programs (MS-OFFCRYPTO 2.3.4.5 to 2.3.4.9). */
function standardCipher(info: Buffer): Cipher {
  const verifierAt = 12 + info.readUInt32LE(8);
  if (info.readUInt16LE(2) !== 2 || info.length < verifierAt + 72 || !aesKinds.has(info.readUInt32LE(20)))
    throw unknownEncryption();
  const keyBytes = info.readUInt32LE(28) / 8;
  const verifier = info.subarray(verifierAt + 4);
  const [salt, encryptedInput, encryptedHash] = [
    verifier.subarray(0, 16),
    verifier.subarray(16, 32),
    verifier.subarray(36, 68),
  ];
  return (password) => {
    const spun = spin('sha1', Buffer.concat([salt, password]), standardSpinCount);
    const key = standardKey(hashOf('sha1', spun, numberBytes(0))).subarray(0, keyBytes);
    const expected = hashOf('sha1', decryptBlocks('ecb', key, encryptedInput));
    if (!decryptBlocks('ecb', key, encryptedHash).subarray(0, expected.length).equals(expected))
      return undefined;
    return (encrypted) => decryptBlocks('ecb', key, encrypted);
  };
}

function standardKey(hash: Buffer): Buffer {
  const halves = [0x36, 0x5c].map((fill) => {
    const block = Buffer.alloc(64, fill);
    for (const [index, byte] of hash.entries()) block[index] = byte ^ fill;
    return hashOf('sha1', block);
  });
  return Buffer.concat(halves);
}

function spin(hash: string, start: Buffer, count: number): Buffer {
  let spun = hashOf(hash, start);
  for (let round = 0; round < count; round += 1) spun = hashOf(hash, numberBytes(round), spun);
  return spun;
}

function hashOf(hash: string, ...parts: readonly Buffer[]): Buffer {
  const made = createHash(hash);
  for (const part of parts) made.update(part);
  return made.digest();
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const blockBytes = 16;

/** Truncates or pads `bytes` to this length. */
function resized(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(length, 0x36)]).subarray(0, length);
}

function decryptBlocks(mode: 'cbc' | 'ecb', key: Buffer, encrypted: Buffer, salt?: Buffer): Buffer {
  const start = salt === undefined ? null : resized(salt, blockBytes);
  const cipher = createDecipheriv(`aes-${key.length * 8}-${mode}`, key, start).setAutoPadding(false);
  // Bytes after the last complete block are not part of the data.
  const whole = encrypted.subarray(0, encrypted.length - (encrypted.length % blockBytes));
  return Buffer.concat([cipher.update(whole), cipher.final()]);
}

function unknownEncryption(): BrokenWorkbook {
  return new BrokenWorkbook('its encryption is not supported');
}

const headerBytes = 512;
const entryBytes = 128;
/** Streams with fewer bytes are stored in small sectors. */
const smallStreamMaximum = 4_096;
const smallSectorBytes = 64;
/** Numbers from here on are not sectors; one of them ends a chain. */
const firstMark = 0xffff_fffa;

/** The streams of an OLE container (MS-CFB 2), the old format of Office, which still wraps encrypted documents. */
class CompoundFile {
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
    // The first entry is the root, whose stream contains the small sectors.
    this.#smallStream = this.#chain(this.#directory.readUInt32LE(116));
  }

  /** Returns the stream with this name in any folder. @throws BrokenWorkbook if there is none. */
  stream(name: string): Buffer {
    const wanted = `${name}\0`;
    for (let at = 0; at + entryBytes <= this.#directory.length; at += entryBytes) {
      const entry = this.#directory.subarray(at, at + entryBytes);
      if (entry.toString('utf16le', 0, Math.min(64, entry.readUInt16LE(64))) === wanted)
        return this.#streamOf(entry);
    }
    throw new BrokenWorkbook(`${name} is missing`);
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

  /** The successor of each sector. The header lists the first sectors of this table, a chain of lists the others. */
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
    if (chain.length >= nextOf.length) throw new BrokenWorkbook('the file is damaged (cyclic sector chain)');
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
