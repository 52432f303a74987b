import type { DiskFile } from '../../open/input-file.ts';

/** Bytes with random access: those of a file, or decrypted ones. */
export interface ByteSource {
  readonly size: number;
  /** Up to `length` bytes from `start` on. */
  read(start: number, length: number): Promise<Buffer>;
}

/** @throws as `DiskFile`. */
export function fileSource(file: DiskFile): ByteSource {
  return { size: file.version.size, read: (start, length) => file.bytesAt(start, length) };
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
}
