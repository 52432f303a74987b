import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileAccess } from './access.ts';

/** A sorted part of an index, never changed once it is complete. */
export interface Segment {
  readonly id: number;
  /** All answers up to this one are in this segment or in earlier ones. */
  readonly through: number;
  /** How many leading bits of a hash are the number of its bucket. */
  readonly bits: number;
  readonly size: number;
}

/** Hashes and numbers of answers in turn, all of one bucket. */
export type Pairs = Int32Array;

interface Bucket {
  readonly number: number;
  readonly pairs: Pairs;
}

/** Pairs of a bucket on average, at most: a bucket is read whole to look up one hash. */
const bucketPairs = 128;
const bitsMaximum = 24;
/** Buckets that are written before other work has its turn. */
const bucketsPerTurn = 256;

/**
 * The segments of one index in the file. A segment is written a slice at a time, and is only read once it is complete;
 * what a killed process left of one is removed before the next is written.
 */
export class IndexSegments {
  readonly #transact: FileAccess['transact'];
  readonly #read: FileAccess['read'];
  readonly #index: number;
  readonly #selectAll;
  readonly #selectBucket;
  readonly #selectBuckets;
  readonly #insertSegment;
  readonly #insertBucket;
  readonly #isThere;
  readonly #complete;
  readonly #retire;
  readonly #selectIncomplete;
  readonly #deleteBuckets;
  readonly #deleteSegment;

  constructor({ database, transact, read }: FileAccess, index: number) {
    this.#transact = transact;
    this.#read = read;
    this.#index = index;
    this.#selectAll = database.prepare(
      'SELECT id, through, bits, size FROM segment WHERE of_index = ? AND is_complete = 1 ORDER BY id',
    );
    this.#selectBucket = database.prepare('SELECT pairs FROM bucket WHERE id = ?');
    this.#selectBuckets = database.prepare(
      'SELECT id, pairs FROM bucket WHERE id BETWEEN ? AND ? ORDER BY id',
    );
    this.#insertSegment = database.prepare(
      'INSERT INTO segment (of_index, through, bits, size, is_complete) VALUES (?, ?, ?, ?, 0)',
    );
    this.#insertBucket = database.prepare('INSERT INTO bucket (id, pairs) VALUES (?, ?)');
    this.#isThere = database.prepare('SELECT 1 FROM segment WHERE id = ?');
    this.#complete = database.prepare('UPDATE segment SET is_complete = 1 WHERE id = ?');
    this.#retire = database.prepare('UPDATE segment SET is_complete = 0 WHERE id = ? AND is_complete = 1');
    this.#selectIncomplete = database.prepare(
      'SELECT id FROM segment WHERE of_index = ? AND is_complete = 0',
    );
    this.#deleteBuckets = database.prepare(
      'DELETE FROM bucket WHERE id IN (SELECT id FROM bucket WHERE id BETWEEN ? AND ? LIMIT ?)',
    );
    this.#deleteSegment = database.prepare('DELETE FROM segment WHERE id = ?');
  }

  /** Those that are complete. */
  list(): readonly Segment[] {
    return this.#selectAll.all(this.#index);
  }

  /** Adds the answers that `segment` has for `hash` to `found`; false where it has none. */
  find(segment: Segment, hash: number, found: number[]): boolean {
    const row: BucketRow | undefined = this.#selectBucket.get(
      bucketId(segment.id, bucketOf(hash, segment.bits)),
    );
    if (row === undefined) return false;
    const pairs = pairsOf(row);
    const before = found.length;
    for (let at = 0; at < pairs.length; at += 2) {
      const answer = pairs[at + 1] ?? 0;
      if (pairs[at] === hash && !found.includes(answer)) found.push(answer);
    }
    return found.length > before;
  }

  /** Calls `visit` for all hashes of `segment`, a slice a turn of the event loop. */
  async forEach(segment: Segment, visit: (hash: number) => void): Promise<void> {
    for (let first = 0; first < 2 ** segment.bits; first += bucketsPerTurn) {
      for (const { pairs } of this.#read(() => this.#buckets(segment, first, bucketsPerTurn))) {
        for (let at = 0; at < pairs.length; at += 2) visit(pairs[at] ?? 0);
      }
      await nextTurn();
    }
  }

  /** Makes a segment of `pairs`; undefined where another process came between. */
  writePairs(pairs: Pairs, through: number): Promise<number | undefined> {
    const size = pairs.length / 2;
    const bits = bitsFor(size);
    return this.#write(sorted(pairs, { bits, first: 0, count: 2 ** bits }), { through, bits, size }, []);
  }

  /** Puts one segment in place of `segments`; undefined where another process came between. */
  merge(segments: readonly Segment[]): Promise<number | undefined> {
    const size = segments.reduce((sum, segment) => sum + segment.size, 0);
    const through = Math.max(...segments.map((segment) => segment.through));
    const bits = bitsFor(size);
    return this.#write(this.#mergedBuckets(segments, bits), { through, bits, size }, segments);
  }

  /** Removes the segments that were replaced, and those that a killed process left unfinished. */
  async removeIncomplete(): Promise<void> {
    const incomplete: readonly Pick<Segment, 'id'>[] = this.#read(() =>
      this.#selectIncomplete.all(this.#index),
    );
    for (const { id } of incomplete) {
      for (let isMore = true; isMore; await nextTurn()) isMore = this.#transact(() => this.#removeSlice(id));
    }
  }

  async #write(
    buckets: Generator<Bucket>,
    { through, bits, size }: Omit<Segment, 'id'>,
    replaced: readonly Segment[],
  ): Promise<number | undefined> {
    await this.removeIncomplete();
    const id = this.#transact(() =>
      Number(this.#insertSegment.run(this.#index, through, bits, size).lastInsertRowid),
    );
    for (let state: 'more' | 'all' | 'removed' = 'more'; state !== 'all'; ) {
      state = this.#transact(() => this.#writeSlice(id, buckets));
      if (state === 'removed') return undefined;
      await nextTurn();
    }
    const isComplete = this.#transact(() => this.#replace(id, replaced));
    return isComplete ? id : undefined;
  }

  /** Another process may have removed the segment as one that a killed process left. */
  #writeSlice(id: number, buckets: Generator<Bucket>): 'more' | 'all' | 'removed' {
    if (this.#isThere.get(id) === undefined) return 'removed';
    for (let count = 0; count < bucketsPerTurn; count += 1) {
      const { done, value } = buckets.next();
      if (done) return 'all';
      const { buffer, byteOffset, byteLength } = value.pairs;
      this.#insertBucket.run(bucketId(id, value.number), new Uint8Array(buffer, byteOffset, byteLength));
    }
    return 'more';
  }

  /** All or nothing: false where another process has replaced one of `replaced` meanwhile. */
  #replace(id: number, replaced: readonly Segment[]): boolean {
    if (this.#isThere.get(id) === undefined) return false;
    const those = new Set(this.list().map((segment) => segment.id));
    if (replaced.some((segment) => !those.has(segment.id))) return false;
    for (const segment of replaced) this.#retire.run(segment.id);
    this.#complete.run(id);
    return true;
  }

  #removeSlice(id: number): boolean {
    const [first, last] = [bucketId(id, 0), bucketId(id + 1, 0) - 1];
    const removed = Number(this.#deleteBuckets.run(first, last, bucketsPerTurn).changes);
    if (removed === bucketsPerTurn) return true;
    this.#deleteSegment.run(id);
    return false;
  }

  #buckets({ id }: Segment, first: number, count: number): readonly Bucket[] {
    const rows: readonly BucketRow[] = this.#selectBuckets.all(
      bucketId(id, first),
      bucketId(id, first + count - 1),
    );
    return rows.map((row) => ({
      number: row.id - bucketId(id, 0),
      pairs: pairsOf(row),
    }));
  }

  /** A stretch of the hashes of all segments at a time, as wide as a bucket of the smallest one. */
  *#mergedBuckets(segments: readonly Segment[], bits: number): Generator<Bucket> {
    const coarse = Math.min(bits, ...segments.map((segment) => segment.bits));
    for (let stretch = 0; stretch < 2 ** coarse; stretch += 1) {
      const parts = segments.flatMap((segment) => {
        const width = 2 ** (segment.bits - coarse);
        return this.#buckets(segment, stretch * width, width).map(({ pairs }) => pairs);
      });
      yield* sorted(joined(parts), {
        bits,
        first: stretch * 2 ** (bits - coarse),
        count: 2 ** (bits - coarse),
      });
    }
  }
}

interface BucketRow {
  readonly id: number;
  readonly pairs: Uint8Array;
}

function pairsOf({ pairs: { buffer, byteOffset, byteLength } }: BucketRow): Pairs {
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength / 4)
    : new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

function bitsFor(size: number): number {
  return Math.min(bitsMaximum, Math.max(0, Math.ceil(Math.log2(size / bucketPairs))));
}

/** Numbers of buckets of all segments, in the order of segment and bucket. */
function bucketId(segment: number, bucket: number): number {
  return segment * 2 ** bitsMaximum + bucket;
}

function bucketOf(hash: number, bits: number): number {
  return bits === 0 ? 0 : hash >>> (32 - bits);
}

function joined(parts: readonly Pairs[]): Pairs {
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

/** The buckets of `pairs`, which are `count` from `first` on; empty ones are left out. */
function* sorted(
  pairs: Pairs,
  { bits, first, count }: { readonly bits: number; readonly first: number; readonly count: number },
): Generator<Bucket> {
  const ends = new Uint32Array(count + 1);
  for (let at = 0; at < pairs.length; at += 2) {
    const after = bucketOf(pairs[at] ?? 0, bits) - first + 1;
    ends[after] = (ends[after] ?? 0) + 2;
  }
  for (let bucket = 1; bucket <= count; bucket += 1)
    ends[bucket] = (ends[bucket] ?? 0) + (ends[bucket - 1] ?? 0);
  const starts = ends.slice(0, count);
  const ordered = new Int32Array(pairs.length);
  for (let at = 0; at < pairs.length; at += 2) {
    const bucket = bucketOf(pairs[at] ?? 0, bits) - first;
    const place = starts[bucket] ?? 0;
    ordered[place] = pairs[at] ?? 0;
    ordered[place + 1] = pairs[at + 1] ?? 0;
    starts[bucket] = place + 2;
  }
  for (let bucket = 0; bucket < count; bucket += 1) {
    const [start = 0, end = 0] = [ends[bucket], ends[bucket + 1]];
    if (end > start) yield { number: first + bucket, pairs: ordered.subarray(start, end) };
  }
}
