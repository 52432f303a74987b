import { crc32 } from 'node:zlib';

/** One of the `count` parts of an input; `index` is 1 to `count`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * The index of the shard for records with this key: the CRC-32 of the key in UTF-8 (as in zip and gzip) modulo `count`,
 * plus 1. Other programs may compute it, so it must never change: a record would move to another machine, whose journal
 * does not know it.
 */
export function shardOf(key: string, count: number): number {
  return (crc32(key) % count) + 1;
}

/** `3/8`. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}
