import type { DiskFile } from '../../open/input-file.ts';

/** Bytes that can be read anywhere: those of a file, or of what was decrypted. */
export interface ByteSource {
  readonly size: number;
  /** The `length` bytes from `start` on; fewer where they end before. */
  read(start: number, length: number): Promise<Buffer>;
}

/** @throws as `DiskFile`. */
export function fileSource(file: DiskFile): ByteSource {
  return { size: file.version.size, read: (start, length) => file.bytesAt(start, length) };
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
}
