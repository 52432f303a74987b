import * as z from 'zod';
import type { Json } from '../base/json.ts';
import type { ListLag } from './list-lag.ts';
import { done, invalid, type Outcome } from './outcome.ts';
import type { World } from './world.ts';

type Key = string | number;

interface Identified {
  readonly id: string;
}

/** A list operation: which records, in which order. Records of equal keys are ordered by id. */
export interface Listing<R extends Identified> {
  readonly operation: string;
  readonly sort: string;
  readonly direction: 'ASC' | 'DESC';
  readonly collection: { get(id: string): R | undefined; values(): Iterable<R> };
  /** The only records that can match, where an index knows them. */
  readonly candidates?: Iterable<R> | undefined;
  matches(record: R): boolean;
  keyOf(record: R): Key;
  present(record: R): Json;
}

interface PageQuery {
  readonly first: number;
  readonly after?: string | undefined;
}

interface Entry {
  readonly key: Key;
  readonly id: string;
}

/** How many sorted lists are kept between pages. */
const keptLists = 8;

const cursorSchema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/**
 * Pages of lists (API 2, API 4). A cursor names the key and id of the last record of a page, not a position, so records
 * that appear or vanish between two pages neither repeat nor hide others. Sorted lists are kept while the world does
 * not change, which makes walking through all pages linear.
 */
export class Listings {
  readonly #world: World;
  readonly #lag: ListLag;
  readonly #lists = new Map<string, readonly Entry[]>();
  #version = -1;

  constructor(world: World, lag: ListLag) {
    this.#world = world;
    this.#lag = lag;
  }

  /**
   * One page as the list envelope. `query` is the whole decoded query: with the name of the operation it identifies the
   * list. A cursor that is none of this order is refused.
   */
  page<R extends Identified>(listing: Listing<R>, query: PageQuery): Outcome {
    const { first, after, ...filters } = query;
    const sorted = this.#sorted(listing, `${listing.operation} ${JSON.stringify(filters)}`);
    const order = `${listing.operation} ${listing.sort} ${listing.direction}`;
    let start = 0;
    if (after !== undefined) {
      const last = readCursor(after, order);
      if (!last) return invalid(['query', 'after'], 'not a cursor of this list', 'invalid_cursor');
      start = positionAfter(sorted, last, comparison(listing.direction));
    }
    const entries = sorted.slice(start, start + first);
    const end = entries.at(-1);
    return done({
      totalCount: sorted.length,
      data: entries
        .map(({ id }) => listing.collection.get(id))
        .filter((record) => record !== undefined)
        .map((record) => listing.present(record)),
      pageInfo: {
        hasNextPage: start + entries.length < sorted.length,
        endCursor: end ? writeCursor(end, order) : null,
      },
    });
  }

  #sorted<R extends Identified>(listing: Listing<R>, name: string): readonly Entry[] {
    if (this.#version !== this.#world.version || this.#lag.ms > 0) {
      this.#lists.clear();
      this.#version = this.#world.version;
    }
    const known = this.#lists.get(name);
    if (known) return known;
    const entries: Entry[] = [];
    for (const record of listing.candidates ?? listing.collection.values()) {
      if (!this.#lag.isListed(record.id) || !listing.matches(record)) continue;
      entries.push({ key: listing.keyOf(record), id: record.id });
    }
    entries.sort(comparison(listing.direction));
    const [oldest] = this.#lists.keys();
    if (this.#lists.size >= keptLists && oldest !== undefined) this.#lists.delete(oldest);
    this.#lists.set(name, entries);
    return entries;
  }
}

type Compare = (a: Entry, b: Entry) => number;

function comparison(direction: 'ASC' | 'DESC'): Compare {
  return direction === 'ASC' ? compareEntries : (a, b) => compareEntries(b, a);
}

function compareEntries(a: Entry, b: Entry): number {
  if (a.key < b.key) return -1;
  if (a.key > b.key) return 1;
  return Number(a.id) - Number(b.id);
}

/** The position of the first entry that comes after `last` in the order, by halving. */
function positionAfter(sorted: readonly Entry[], last: Entry, compare: Compare): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = sorted[middle];
    if (entry && compare(entry, last) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function writeCursor({ key, id }: Entry, order: string): string {
  return Buffer.from(JSON.stringify([order, key, id])).toString('base64url');
}

function readCursor(cursor: string, order: string): Entry | undefined {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success || parsed.data[0] !== order) return undefined;
  const [, key, id] = parsed.data;
  return { key, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
