import { Failure } from '../../base/failure.ts';
import { type Connection, connect } from '../sql/connection.ts';
import { lockKey, type PostgresPlace } from '../sql/postgres-address.ts';
import type { SqlReader } from '../sql/sql.ts';
import type { Lock, Locks } from './locks.ts';

/** Interval of the pings that check the session of a lock, in milliseconds. */
const pingMs = 2_000;

/**
 * Locks by name, shared by all machines that use one `scope` of a schema. Each is an advisory lock of a separate
 * session, which the server frees after the end of the process or machine. A lock shows only who is alive: a lost
 * session is reopened, and meanwhile its owner looks dead. Holders must therefore still compare before they change
 * anything.
 */
export function createSessionLocks(place: PostgresPlace, scope = ''): Locks {
  const keyOf = (name: string) => lockKey(place.address.schema, scope + name);
  /** The session of a held lock is also used for queries. */
  let own: (() => Connection) | undefined;
  const ask = async <T>(question: (connection: Connection) => Promise<T>): Promise<T> => {
    const open = own?.();
    if (open !== undefined && !open.isLost) return question(open);
    const connection = await connect(place);
    try {
      return await question(connection);
    } finally {
      await connection.close();
    }
  };
  return {
    acquire: async (name, activity) => {
      const open = () => connect(place, { application: applicationOf(name) });
      const connection = await open();
      try {
        if (!(await tryLock(connection, keyOf(name)))) throw held(place.path, name, activity);
        const kept = keptAlive(open, connection, keyOf(name));
        own = kept.current;
        return {
          release: () => {
            own = undefined;
            return kept.release();
          },
        };
      } catch (error) {
        await connection.close();
        throw error;
      }
    },
    isHeld: (name) => ask((connection) => isLockHeld(connection, place, scope + name)),
    names: () => ask((connection) => lockedNames(connection, keyOf)),
  };
}

/** PostgreSQL's limit for names, in bytes; the server truncates a session's application name. */
const nameBytes = 63;
const prefix = 'reviewctl ';

/** The application name of a lock's session, which `names` reads and administrators of the server see. */
function applicationOf(name: string): string {
  return prefix + name;
}

async function tryLock(connection: Connection, key: bigint): Promise<boolean> {
  const [row] = await connection.query<{ readonly is_held: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS is_held',
    [key],
  );
  return row?.is_held === true;
}

/** Selects the locks of this database. Listing them does not block anyone who acquires one. */
const locksHeld = `SELECT pid, (classid::bigint << 32) | objid::bigint AS key FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** As `Locks.isHeld`, in an open session; `name` includes the scope. */
export async function isLockHeld(
  reader: SqlReader,
  { address }: Pick<PostgresPlace, 'address'>,
  name: string,
): Promise<boolean> {
  const key = lockKey(address.schema, name);
  const rows = await reader.query(`SELECT 1 FROM (${locksHeld}) AS held WHERE key = $1`, [key]);
  return rows.length > 0;
}

/** A name truncated by the server is returned truncated. */
async function lockedNames(
  connection: Connection,
  keyOf: (name: string) => bigint,
): Promise<readonly string[]> {
  const rows = await connection.query<{ readonly application: string; readonly key: bigint }>(
    `SELECT session.application_name AS application, key
     FROM (${locksHeld}) AS held JOIN pg_stat_activity AS session USING (pid)`,
  );
  return rows.flatMap(({ application, key }) => {
    const name = application.slice(prefix.length);
    const isCut = Buffer.byteLength(application) === nameBytes;
    return application.startsWith(prefix) && (isCut || keyOf(name) === key) ? [name] : [];
  });
}

/** Pings the session regularly, and opens a new one if it is lost. */
function keptAlive(
  open: () => Promise<Connection>,
  first: Connection,
  key: bigint,
): Lock & { readonly current: () => Connection } {
  let connection = first;
  let asking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    asking = asking.then(() => renew()).catch(() => undefined);
  }, pingMs);
  timer.unref();

  async function renew(): Promise<void> {
    if (await isAlive(connection)) return;
    await connection.close();
    connection = await open();
    await tryLock(connection, key);
  }

  return {
    current: () => connection,
    release: async () => {
      clearInterval(timer);
      await asking;
      await connection.close();
    },
  };
}

async function isAlive(connection: Connection): Promise<boolean> {
  if (connection.isLost) return false;
  try {
    await connection.query('SELECT 1');
    return true;
  } catch {
    return false;
  }
}

function held(path: string, name: string, activity: string): Failure {
  return new Failure(
    'locked',
    `another run of reviewctl ${activity} holds the lock ${name} of ${path}`,
    'wait until it has ended, then run the same command again',
  );
}
