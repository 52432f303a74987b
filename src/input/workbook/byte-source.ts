import { bytesAt } from '../bytes.ts';
import type { InputFile } from '../open.ts';

/** Bytes that can be read anywhere: those of a file, or of what was decrypted. */
export interface ByteSource {
  readonly size: number;
  /** The `length` bytes from `start` on; fewer where they end before. */
  read(start: number, length: number): Promise<Buffer>;
}

/** @throws as `bytesAt`. */
export function fileSource(file: InputFile): ByteSource {
  return { size: file.version.size, read: (start, length) => bytesAt(file, start, length) };
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
}
