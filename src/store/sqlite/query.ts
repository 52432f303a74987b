import type { Database } from '../../base/sqlite.ts';

/** A value that a query is asked with, or several by their names. */
type Parameter = bigint | number | string | null | Readonly<Record<string, bigint | number | string | null>>;

/**
 * A query, with the type of its rows named where its SQL is written. Rows are not checked as they are read: the tables
 * are STRICT, so SQLite keeps each column to the type of its format, and seals cover the rows that money moves by.
 */
export interface Query<Row> {
  get(...parameters: readonly Parameter[]): Row | undefined;
  all(...parameters: readonly Parameter[]): readonly Row[];
  iterate(...parameters: readonly Parameter[]): Iterable<Row>;
}

type RowOf<Row> = { readonly [Name in keyof Row]: number | string | null };

/** A query whose integers fit a number. */
export function prepareQuery<Row extends RowOf<Row>>(database: Database, sql: string): Query<Row> {
  return database.prepare(sql);
}
