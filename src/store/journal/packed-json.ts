import { deflateSync, inflateSync } from 'node:zlib';
import { messageOf } from '../../base/failure.ts';
import { damagedJournal } from './journal-failure.ts';

/** For a few kilobytes: with the default sizes, most of the time goes into allocating buffers. */
const zlibOptions = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 };

/** Deflating a shorter text takes longer than writing it. */
const shortestDeflated = 512;

/** The first byte of a JSON list; deflated data never begins with it. */
const listStart = 0x5b;

/** Encodes a list as JSON, deflated unless it is short. */
export function pack(list: readonly unknown[]): Uint8Array {
  const text = JSON.stringify(list);
  return text.length < shortestDeflated ? Buffer.from(text) : deflateSync(text, zlibOptions);
}

/** @throws Failure('unreadable-path') if the bytes are damaged. */
export function unpack<List>(bytes: Uint8Array): List {
  try {
    const { buffer, byteOffset, byteLength } = bytes;
    const text =
      bytes[0] === listStart ? Buffer.from(buffer, byteOffset, byteLength) : inflateSync(bytes, zlibOptions);
    return JSON.parse(text.toString());
  } catch (error) {
    throw damagedJournal(`a stored list cannot be read (${messageOf(error)})`);
  }
}
