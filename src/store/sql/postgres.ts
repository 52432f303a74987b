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
  textsIn: (parameter) => `(SELECT jsonb_array_elements_text(${parameter}::jsonb))`,
  integersIn: (parameter) => `(SELECT jsonb_array_elements_text(${parameter}::jsonb)::bigint)`,
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
   * Looks at each session before it is used, and throws to refuse it: behind one address may be several servers, and
   * settings differ by user and database.
   */
  readonly accept?: (session: Connection) => Promise<void>;
  /** The time that a write waits for rows that others have locked, in milliseconds; 10 s without it. */
  readonly lockTimeoutMs?: number;
}

/**
 * Opens one session that writes and one that reads, whose tables are those of the schema of the place. With durability
 * `process`, a commit is visible at once, and on the disk of the server with the next one for `power`. Nothing follows
 * the loss of a session: whether its last commit happened is then unknown, and another server may answer next.
 * @throws Failure as `connect`, and what `accept` throws.
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
    // A transaction that has a number waits for all those before it; one that does nothing has none.
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
      // To look one up is refused in a schema that this user may not use, which would look empty otherwise.
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

/** Resolves as `work` does; where that fails, the session is closed. */
async function orClose<T>(session: Connection, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** What is asked for without waiting between leaves in one piece, but never before the transaction has begun. */
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
    // Where it cannot begin, each statement after it would be committed alone.
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
    // A transaction that has failed is undone by COMMIT, which says nothing of it; what was sent before does.
    await Promise.all([...pending, connection.query('COMMIT')]);
    if (failure !== undefined) throw failure.error;
    return result;
  } catch (error) {
    isOver = true;
    if (!connection.isLost) await connection.query('ROLLBACK').catch(() => undefined);
    // What follows a failed statement fails too, and says only that.
    throw failure?.error ?? error;
  }
}

/**
 * Makes the schema where it is missing, within a transaction; others that make tables in it wait for its end. It is
 * looked for first, since to make one takes a right that using it does not.
 */
async function makeSchema(connection: Connection, name: string): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock($1)', [lockKey(name, 'tables')]);
  const [row] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regnamespace($1) IS NOT NULL AS is_there',
    [quoted(name)],
  );
  if (row?.is_there !== true) await connection.query(`CREATE SCHEMA ${quoted(name)}`);
}

/** The type of the elements, as the catalog numbers it. */
const int4 = 23;

/** A list of 32-bit integers in the binary form of PostgreSQL: one dimension, no nulls, numbered from 1. */
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
