import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { messageOf } from '../../base/failure.ts';
import { damagedJournal } from './journal-failure.ts';

/** For a few kilobytes: with the usual sizes, most of the time goes into making buffers. */
const zlibOptions = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 };

/** Deflated JSON. */
export function pack(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value), zlibOptions);
}

/** @throws Failure('unreadable-path') if the bytes are damaged. */
export function unpack<T>(bytes: Uint8Array): T {
  try {
    return JSON.parse(inflateRawSync(bytes, zlibOptions).toString());
  } catch (error) {
    throw damagedJournal(`what is kept of runs cannot be read (${messageOf(error)})`);
  }
}
