/*
 * The only port to SQL. Ledger and journal write each statement once, in the SQL shared by SQLite and PostgreSQL (`$1`,
 * `ON CONFLICT`, `RETURNING`, `IS DISTINCT FROM`, `FULL OUTER JOIN`). A dialect has the words that differ.
 */

/** The value of a parameter. */
export type SqlValue = bigint | number | string | null | Uint8Array;

/** The rows of a query. 64-bit integers are bigint, bytes a Uint8Array. */
type Query = <Row>(text: string, parameters?: readonly SqlValue[]) => Promise<readonly Row[]>;

/** A source of rows. */
export interface SqlReader {
  readonly query: Query;
}

/** A view of the database at one instant, until it is closed. */
export interface Snapshot extends SqlReader {
  readonly close: () => Promise<void>;
}

/** A transaction that writes. After its end it refuses statements, which would commit alone. */
export interface Transaction extends SqlReader {
  /** Runs a statement once per list of parameters. A failure rejects the write, at the latest on commit. */
  readonly many: (text: string, rows: readonly (readonly SqlValue[])[]) => Promise<void>;
  /** Runs statements without parameters. */
  readonly exec: (text: string) => Promise<void>;
}

/**
 * The events that a commit survives: the end of this `process`, or also a loss of `power` of the machine with the data.
 */
export type Durability = 'process' | 'power';

/** An open database. Failures of its file or server are Failures with a remedy. */
export interface Sql {
  readonly dialect: Dialect;
  /** Reads committed data on a separate connection. Statements are planned once, so their number is bounded. */
  readonly read: Query;
  /**
   * Runs `work` in a transaction of its own; writes of this process run one after the other, and in SQLite they exclude
   * other processes. It is committed and durable when this resolves, and rolled back if `work` throws. `durability` may
   * exceed that of the database. If the session is lost, the commit may or may not have happened.
   */
  readonly write: <T>(work: (transaction: Transaction) => Promise<T>, durability?: Durability) => Promise<T>;
  /** Waits until all commits survive a loss of power. */
  readonly flush: () => Promise<void>;
  /** Opens a snapshot while others write. */
  readonly snapshot: () => Promise<Snapshot>;
  /**
   * As `write`, for creating tables: creates the schema if missing, and excludes other processes that create tables.
   */
  readonly make: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  /** The names of all tables. */
  readonly tables: () => Promise<readonly string[]>;
  /** Waits for pending writes. */
  readonly close: () => Promise<void>;
}

/** The parts of SQL that differ. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Column types. Texts are compared by bytes. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** A list of 32-bit integers; `packIntegers` encodes its value. */
  readonly integers: string;
  /** A primary key that the database numbers. */
  readonly counter: string;
  /** The end of a table definition, after its columns. */
  readonly tableEnd: string;
  /** The end of a query that locks its rows until the transaction ends. */
  readonly lockRows: string;
  readonly packIntegers: (values: Int32Array) => Uint8Array;
  /** The `counter` value of the row last inserted by this transaction. */
  readonly lastCount: string;
  /** A table of the texts in a JSON list, which may be a column of an earlier table. Its column is `value`. */
  readonly eachText: (json: string) => string;
  /** Statements that forbid these kinds of changes to a table's rows. */
  readonly forbid: (table: string, changes: readonly ('UPDATE' | 'DELETE')[]) => string;
}

/** A subquery of the texts in a JSON list parameter. */
export function textsIn({ eachText }: Dialect, parameter: string): string {
  return `(SELECT value FROM ${eachText(parameter)} AS list)`;
}
