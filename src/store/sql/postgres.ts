import { hash } from 'node:crypto';
import { type Connection, connect } from './connection.ts';
import type { PostgresPlace } from './postgres-address.ts';
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
  packIntegers: int4Array,
  lastCount: 'lastval()',
  forbid: (table, changes) =>
    `CREATE FUNCTION ${table}_refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'rows of ${table} are never changed or deleted'; END $$;
     CREATE TRIGGER ${table}_stays BEFORE ${[...changes, 'TRUNCATE'].join(' OR ')} ON ${table}
       FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse();`,
};

/**
 * Opens one session that writes and one that reads, whose tables are those of the schema of the place. With durability
 * `process`, a commit is visible at once, and on the disk of the server with the next one for `power`. Nothing follows
 * the loss of a session: whether its last commit happened is then unknown, and another server may answer next.
 * @throws Failure as `connect`.
 */
export async function openPostgres(
  place: PostgresPlace,
  { durability: usual }: { readonly durability: Durability },
): Promise<Sql> {
  const { schema } = place.address;
  const settings = { search_path: quoted(schema) };
  const reader = await connect(place, { settings });
  const writer = await connect(place, {
    settings: usual === 'power' ? settings : { ...settings, synchronous_commit: 'off' },
  }).catch(async (error: unknown) => {
    await reader.close();
    throw error;
  });
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
    committed: async () => {
      await last;
    },
    make: (work) =>
      write(async (transaction) => {
        await makeSchema(writer, schema);
        return work(transaction);
      }, 'power'),
    tables: async () => {
      const select = 'SELECT tablename FROM pg_tables WHERE schemaname = $1';
      const rows = await reader.query<{ readonly tablename: string }>(select, [schema]);
      return rows.map(({ tablename }) => tablename);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** What is asked for without waiting between leaves in one piece: the begin with the first statement, and so on. */
async function transact<T>(
  connection: Connection,
  query: Sql['read'],
  begin: readonly string[],
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const pending: Promise<unknown>[] = [];
  const send = (answer: Promise<unknown>) => {
    // Its failure is thrown with the commit, unless the work has failed before.
    answer.catch(() => undefined);
    pending.push(answer);
  };
  try {
    send(connection.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE'));
    for (const text of begin) send(connection.query(text));
    const result = await work({
      query,
      many: async (text, rows) => {
        for (const row of rows) send(query(text, row));
      },
      exec: async (text) => {
        await connection.query(text);
      },
    });
    // A transaction that has failed is undone by COMMIT, which says nothing of it; what was sent before does.
    await Promise.all([...pending, connection.query('COMMIT')]);
    return result;
  } catch (error) {
    if (!connection.isLost) await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Makes the schema where it is missing, within a transaction; others that make tables in it wait for its end. It is
 * looked for first, since to make one takes a right that using it does not.
 */
export async function makeSchema(connection: Connection, name: string): Promise<void> {
  const key = hash('sha256', `reviewctl ${name} tables`, 'buffer').readBigInt64BE();
  await connection.query('SELECT pg_advisory_xact_lock($1)', [key]);
  const [row] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regnamespace($1) IS NOT NULL AS is_there',
    [quoted(name)],
  );
  if (row?.is_there !== true) await connection.query(`CREATE SCHEMA ${quoted(name)}`);
}

/** A name as SQL writes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
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
