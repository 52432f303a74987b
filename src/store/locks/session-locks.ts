import { Failure } from '../../base/failure.ts';
import { type Connection, connect } from '../sql/connection.ts';
import { lockKey, type PostgresPlace } from '../sql/postgres-address.ts';
import type { SqlReader } from '../sql/sql.ts';
import type { Lock, Locks } from './locks.ts';

/** How often the session of a lock is asked whether it is alive, in milliseconds. */
const pingMs = 2_000;

/**
 * Locks by name over all machines that use one `scope` of a schema: each is an advisory lock of a session of its own,
 * which the server frees when the process or its machine is gone. They say who is alive, and nothing else: a session
 * that is lost is opened again, and meanwhile its owner looks dead. So holders still compare before they change
 * anything.
 */
export function createSessionLocks(place: PostgresPlace, scope = ''): Locks {
  const keyOf = (name: string) => lockKey(place.address.schema, scope + name);
  /** The session of a lock that is held answers questions, too. */
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

/** The longest name of PostgreSQL, in bytes; the server cuts what a session calls itself. */
const nameBytes = 63;
const prefix = 'reviewctl ';

/** The name of the session of a lock, which `names` reads, and which administrators of the server see. */
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

/** The locks of this database as the server lists them, which holds up nobody who acquires one. */
const locksHeld = `SELECT pid, (classid::bigint << 32) | objid::bigint AS key FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** As `Locks.isHeld`, in a session that is open; `name` begins with the scope. */
export async function isLockHeld(
  reader: SqlReader,
  { address }: Pick<PostgresPlace, 'address'>,
  name: string,
): Promise<boolean> {
  const key = lockKey(address.schema, name);
  const rows = await reader.query(`SELECT 1 FROM (${locksHeld}) AS held WHERE key = $1`, [key]);
  return rows.length > 0;
}

/** A long name that the server has cut is given as the server has it. */
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

/** Asks the session now and then, and opens another one where it is gone. */
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
