/*
 * The one port to SQL: ledger and journal write each statement once, in the words that SQLite and PostgreSQL share
 * (`$1`, `ON CONFLICT`, `RETURNING`, `IS DISTINCT FROM`, `FULL OUTER JOIN`). What differs is a word of the dialect.
 */

/** The value of a parameter. */
export type SqlValue = bigint | number | string | null | Uint8Array;

/** The rows of a query. Integers of 64 bits are bigint, bytes a Uint8Array. */
type Query = <Row>(text: string, parameters?: readonly SqlValue[]) => Promise<readonly Row[]>;

/** What is read from. */
export interface SqlReader {
  readonly query: Query;
}

/** One instant of a database, until it is closed. */
export interface Snapshot extends SqlReader {
  readonly close: () => Promise<void>;
}

/** A transaction that writes. Once it has ended, by whatever, its statements are refused: each would commit alone. */
export interface Transaction extends SqlReader {
  /** Runs a statement once for each list of parameters. A failure rejects the write, at the latest when it commits. */
  readonly many: (text: string, rows: readonly (readonly SqlValue[])[]) => Promise<void>;
  /** Runs statements without parameters. */
  readonly exec: (text: string) => Promise<void>;
}

/** What a commit survives: the end of this `process`, or also a loss of `power`, of the machine that keeps the data. */
export type Durability = 'process' | 'power';

/** An open database. A failure of its file or server is a Failure that says what to do. */
export interface Sql {
  readonly dialect: Dialect;
  /** Reads what is committed, on a connection of its own. Statements are planned once, so their number is bounded. */
  readonly read: Query;
  /**
   * Does `work` in a transaction that nothing else of this process shares, one after the other; in SQLite no other
   * process writes meanwhile. It is committed, and durable, when this resolves, and undone where `work` throws.
   * `durability` may be more than the database was opened with. Of a lost session it is unknown whether it committed.
   */
  readonly write: <T>(work: (transaction: Transaction) => Promise<T>, durability?: Durability) => Promise<T>;
  /** Waits until all that is committed survives a loss of power. */
  readonly flush: () => Promise<void>;
  /** Begins to read one instant of the database, while others write. */
  readonly snapshot: () => Promise<Snapshot>;
  /** As `write`, to make tables: makes the schema where it is missing, and is done by one process at a time. */
  readonly make: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  /** The names of all tables there are. */
  readonly tables: () => Promise<readonly string[]>;
  /** After the writes that were asked for. */
  readonly close: () => Promise<void>;
}

/** The words that differ. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The types of columns. Texts are compared by their bytes. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** A list of 32-bit integers; its value is made by `packIntegers`. */
  readonly integers: string;
  /** A primary key that the database counts up. */
  readonly counter: string;
  /** What follows the columns of a table. */
  readonly tableEnd: string;
  /** What follows a query whose rows no other transaction may change before this one ends. */
  readonly lockRows: string;
  /** A subquery of the texts, or integers, in a parameter that is a JSON list. */
  readonly textsIn: (parameter: string) => string;
  readonly integersIn: (parameter: string) => string;
  readonly packIntegers: (values: Int32Array) => Uint8Array;
  /** The value of the `counter` in the row that this transaction inserted last. */
  readonly lastCount: string;
  /** A table of the texts in a JSON list, also of one in a column of a table before it. Its column is `value`. */
  readonly eachText: (json: string) => string;
  /** Statements by which rows of a table can no longer be changed in these ways. */
  readonly forbid: (table: string, changes: readonly ('UPDATE' | 'DELETE')[]) => string;
}
