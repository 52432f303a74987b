import { type Connection, connect } from './connection.ts';
import { lockKey, type PostgresPlace, quoted } from './postgres-address.ts';
import type { Dialect, Durability, Sql, Transaction } from './sql.ts';

const postgresDialect: Dialect = {
  name: 'postgres',
  text: 'text COLLATE "C"',
  integer: 'bigint',
  bytes: 'bytea',
  integers: 'integer[]',
  counter: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  tableEnd: '',
  lockRows: 'FOR UPDATE',
  eachText: (json) => `jsonb_array_elements_text((${json})::jsonb)`,
  packIntegers: int4Array,
  lastCount: 'lastval()',
  forbid: (table, changes) =>
    `CREATE OR REPLACE FUNCTION ${table}_refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'rows of ${table} are never changed or deleted'; END $$;
     CREATE TRIGGER ${table}_stays BEFORE ${[...changes, 'TRUNCATE'].join(' OR ')} ON ${table}
       FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse();`,
};

export interface PostgresOptions {
  readonly durability: Durability;
  /**
   * Checks each session before its first use, and throws to refuse it. One address may lead to several servers, and
   * settings differ by user and database.
   */
  readonly accept?: (session: Connection) => Promise<void>;
  /** Maximum wait of a write for locked rows, in milliseconds; 10 s if left out. */
  readonly lockTimeoutMs?: number;
}

/**
 * Opens one session for writing and one for reading, both in the schema of the place. With durability `process`, a
 * commit is visible at once, and reaches the disk of the server with the next commit for `power`. Nothing runs after
 * the loss of a session: its last commit may or may not have happened, and another server may answer next.
 * @throws Failure as `connect`, and errors of `accept`.
 */
export async function openPostgres(
  place: PostgresPlace,
  { durability: usual, accept = async () => undefined, lockTimeoutMs }: PostgresOptions,
): Promise<Sql> {
  const { schema } = place.address;
  const settings = { search_path: quoted(schema) };
  const open = async (further: Readonly<Record<string, string>> = {}) => {
    const session = await connect(place, { settings: { ...settings, ...further } });
    await orClose(session, accept(session));
    return session;
  };
  const writer = await open({
    ...(usual === 'power' ? {} : { synchronous_commit: 'off' }),
    ...(lockTimeoutMs === undefined ? {} : { lock_timeout: `${lockTimeoutMs}` }),
  });
  const reader = await orClose(writer, open());
  const names = new Map<string, string>();
  const query =
    (connection: Connection): Sql['read'] =>
    (text, parameters = []) => {
      const name = names.get(text) ?? `s${names.size}`;
      names.set(text, name);
      return connection.query(text, parameters, name);
    };
  let last: Promise<unknown> = Promise.resolve();
  const write: Sql['write'] = (work, durability = usual) => {
    const begin = durability === usual ? [] : ['SET LOCAL synchronous_commit = on'];
    const turn = last.then(() => transact(writer, query(writer), begin, work));
    last = turn.catch(() => undefined);
    return turn;
  };
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await last;
    await Promise.all([reader.close(), writer.close()]);
  }
  return {
    dialect: postgresDialect,
    read: query(reader),
    write,
    // A transaction with an id waits for all earlier commits; an empty transaction gets no id.
    flush: () => write(({ exec }) => exec('SELECT pg_current_xact_id()'), 'power'),
    snapshot: async () => {
      const session = await open();
      await orClose(session, session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
      return { query: query(session), close: () => session.close() };
    },
    make: (work) =>
      write(async (transaction) => {
        await makeSchema(writer, schema);
        return work(transaction);
      }, 'power'),
    tables: async () => {
      // The lookup by name fails in a schema that this user may not use. Without it, such a schema would look empty.
      const select = `SELECT tablename FROM pg_tables
        WHERE schemaname = $1 AND to_regclass(format('%I.%I', schemaname, tablename)) IS NOT NULL`;
      const rows = await reader.query<{ readonly tablename: string }>(select, [schema]);
      return rows.map(({ tablename }) => tablename);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Returns the result of `work`; closes the session if it fails. */
async function orClose<T>(session: Connection, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Pipelines statements issued without waiting in between, but sends none before the transaction has begun. */
async function transact<T>(
  connection: Connection,
  query: Sql['read'],
  begin: readonly string[],
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const pending = new Set<Promise<unknown>>();
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  const send = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (isOver) throw new Error('the transaction has ended already');
    const answer = ask();
    const settled: Promise<void> = answer
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .then(() => {
        pending.delete(settled);
      });
    pending.add(settled);
    return answer;
  };
  try {
    // If it cannot begin, each later statement would be committed alone.
    await connection.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    for (const text of begin) void send(() => connection.query(text));
    const result = await work({
      query: async (text, parameters) => send(() => query(text, parameters)),
      many: async (text, rows) => {
        for (const row of rows) void send(() => query(text, row));
      },
      exec: async (text) => {
        await send(() => connection.query(text));
      },
    });
    isOver = true;
    // COMMIT silently rolls back a failed transaction; the error is in the earlier statements.
    await Promise.all([...pending, connection.query('COMMIT')]);
    if (failure !== undefined) throw failure.error;
    return result;
  } catch (error) {
    isOver = true;
    if (!connection.isLost) await connection.query('ROLLBACK').catch(() => undefined);
    // Statements after a failed one fail too, without a reason of their own.
    throw failure?.error ?? error;
  }
}

/**
 * Creates the schema if missing, within a transaction; others that create tables in it wait for its end. It checks
 * first, because creating a schema takes a privilege that using it does not.
 */
async function makeSchema(connection: Connection, name: string): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock($1)', [lockKey(name, 'tables')]);
  const [row] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regnamespace($1) IS NOT NULL AS is_there',
    [quoted(name)],
  );
  if (row?.is_there !== true) await connection.query(`CREATE SCHEMA ${quoted(name)}`);
}

/** The oid of the element type. */
const int4 = 23;

/** Encodes a list of 32-bit integers in PostgreSQL's binary format: one dimension, no nulls, lower bound 1. */
function int4Array(values: Int32Array): Uint8Array {
  const head = values.length === 0 ? [0, 0, int4] : [1, 0, int4, values.length, 1];
  const bytes = Buffer.allocUnsafe(4 * head.length + 8 * values.length);
  let end = 0;
  for (const number of head) end = bytes.writeInt32BE(number, end);
  for (const value of values) {
    end = bytes.writeInt32BE(4, end);
    end = bytes.writeInt32BE(value, end);
  }
  return bytes;
}
