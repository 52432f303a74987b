import * as z from 'zod';
import { parseJson } from '../../base/json.ts';
import { done, invalid, type RequestOutcome, type Show } from './outcome.ts';
import type { RequestContext } from './request-context.ts';
import type { Collection } from './state.ts';

/** A part of an SQL condition, with the values of its `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** The selection and order of a list operation. Records with equal keys are ordered by id. */
interface Listing<R extends { readonly id: string }> {
  readonly operation: string;
  readonly sort: string;
  readonly direction: 'ASC' | 'DESC';
  readonly collection: Collection<R>;
  /** Filters; undefined for absent query parameters. */
  readonly where: readonly (Condition | undefined)[];
  /** SQL expression of the sort key. */
  readonly key: string;
  readonly show: Show<R>;
}

interface PageQuery {
  readonly first: number;
  readonly after?: string | undefined;
}

const cursorSchema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.int()]);

/**
 * Returns one page in the list envelope (API 2, API 4). A cursor holds the key and id of a page's last record rather
 * than an offset, so records that appear or disappear between two pages neither repeat nor hide others. A cursor of
 * another order is refused.
 */
export function listPage<R extends { readonly id: string }>(
  context: RequestContext,
  { operation, sort, direction, collection, where, key, show }: Listing<R>,
  { first, after }: PageQuery,
): RequestOutcome {
  const { state, listedId } = context;
  const order = `${operation} ${sort} ${direction}`;
  const last = after === undefined ? undefined : readCursor(after, order);
  if (after !== undefined && !last) {
    return invalid(['query', 'after'], 'not a cursor of this list', 'invalid_cursor');
  }
  const lag = listedId === undefined ? undefined : { sql: 'id <= ?', values: [listedId] };
  const { sql, values } = allOf([...where, lag]);
  const count = `SELECT count(*) AS count FROM ${collection.name} WHERE ${sql}`;
  const totalCount: number = state.derive(
    `${count} ${JSON.stringify(values)}`,
    () => state.prepare(count).get(...values).count,
  );
  const rest = last && { sql: `(${key}, id) ${direction === 'ASC' ? '>' : '<'} (?, ?)`, values: last };
  const page = allOf([{ sql, values }, rest]);
  const found = state
    .prepare(
      `SELECT id, ${key} AS key, document FROM ${collection.name} WHERE ${page.sql} ` +
        `ORDER BY ${key} ${direction}, id ${direction} LIMIT ?`,
    )
    .all(...page.values, first + 1);
  const rows = found.slice(0, first);
  const end = rows.at(-1);
  return done({
    totalCount,
    data: rows.map(({ document }) => show(context, JSON.parse(document))),
    pageInfo: {
      hasNextPage: found.length > first,
      endCursor: end ? Buffer.from(JSON.stringify([order, end.key, end.id])).toString('base64url') : null,
    },
  });
}

/** Joins conditions with AND. */
function allOf(conditions: readonly (Condition | undefined)[]): Condition {
  const present = conditions.filter((condition) => condition !== undefined);
  return {
    sql: present.map(({ sql }) => `(${sql})`).join(' AND ') || 'TRUE',
    values: present.flatMap(({ values }) => values),
  };
}

function readCursor(cursor: string, order: string): readonly [key: string | number, id: number] | undefined {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  return parsed.success && parsed.data[0] === order ? [parsed.data[1], parsed.data[2]] : undefined;
}
