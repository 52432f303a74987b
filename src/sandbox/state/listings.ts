import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import { KeptList, type ListRule } from './kept-list.ts';
import type { ListLag } from './list-lag.ts';
import { done, invalid, type RequestOutcome } from './outcome.ts';
import type { Place } from './sorted-list.ts';
import type { StateChange } from './state.ts';

interface Identified {
  readonly id: string;
}

/** A list operation. */
export interface Listing<R extends Identified> extends ListRule<R> {
  readonly operation: string;
  readonly sort: string;
  present(record: R): Json;
}

/** A kept list of any kind of record. */
type AnyList = Pick<KeptList<Identified>, 'size' | 'has' | 'placeOf' | 'idsAfter' | 'follow' | 'drop'>;

interface PageQuery {
  readonly first: number;
  readonly after?: string | undefined;
}

/** How many sorted lists are kept up to date; the least recently used one is dropped first. */
const keptLists = 8;

const cursorSchema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/**
 * Pages of lists (API 2, API 4). A cursor holds the key and id of the last record of a page, not a position, so records
 * that appear or disappear between two pages neither repeat nor hide others. Sorted lists are kept and updated by every
 * write, so neither reading nor writing sorts a list again.
 */
export class Listings {
  readonly #lag: ListLag;
  readonly #lists = new Map<string, AnyList>();

  constructor(lag: ListLag) {
    this.#lag = lag;
  }

  /** Must be called after every write. */
  changed(change: StateChange): void {
    for (const [name, list] of this.#lists) if (!list.follow(change)) this.#drop(name);
  }

  /**
   * One page in the list envelope. `query` is the whole decoded query, which with the operation's name identifies the
   * list. A cursor of another order is refused.
   */
  page<R extends Identified>(listing: Listing<R>, query: PageQuery): RequestOutcome {
    const { first, after, ...filters } = query;
    const order = `${listing.operation} ${listing.sort} ${listing.direction}`;
    const last = after === undefined ? undefined : readCursor(after, order);
    if (after !== undefined && !last) {
      return invalid(['query', 'after'], 'not a cursor of this list', 'invalid_cursor');
    }
    const list = this.#list(listing, `${listing.operation} ${JSON.stringify(filters)}`);
    const unlisted = this.#lag.unlisted();
    const ids = take(first + 1, list.idsAfter(last), (id) => !unlisted.has(id));
    const page = ids.slice(0, first);
    const end = list.placeOf(page.at(-1) ?? '');
    return done({
      totalCount: list.size - [...unlisted].filter((id) => list.has(id)).length,
      data: page
        .map((id) => listing.collection.get(id))
        .filter((record) => record !== undefined)
        .map((record) => listing.present(record)),
      pageInfo: {
        hasNextPage: ids.length > first,
        endCursor: end ? writeCursor(end, order) : null,
      },
    });
  }

  /** The kept list; a list with known candidates is cheap and built for each request. */
  #list<R extends Identified>(listing: Listing<R>, name: string): AnyList {
    const list = this.#lists.get(name) ?? new KeptList(listing);
    if (listing.candidates) {
      list.drop();
      return list;
    }
    this.#lists.delete(name);
    this.#lists.set(name, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > keptLists && oldest !== undefined) this.#drop(oldest);
    return list;
  }

  #drop(name: string): void {
    this.#lists.get(name)?.drop();
    this.#lists.delete(name);
  }
}

function take<T>(count: number, values: Iterable<T>, isWanted: (value: T) => boolean): T[] {
  const taken: T[] = [];
  for (const value of values) {
    if (isWanted(value)) taken.push(value);
    if (taken.length === count) break;
  }
  return taken;
}

function writeCursor({ key, id }: Place, order: string): string {
  return Buffer.from(JSON.stringify([order, key, id])).toString('base64url');
}

function readCursor(cursor: string, order: string): Place | undefined {
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
