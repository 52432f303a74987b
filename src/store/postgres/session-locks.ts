import { hash } from 'node:crypto';
import { Failure } from '../../base/failure.ts';
import type { PostgresLedgerLocation } from '../ledger/ledger-location.ts';
import type { Lock, Locks } from '../locks/locks.ts';
import { type Connection, connect } from './connection.ts';

/** How often the session of a lock is asked whether it is alive, in milliseconds. */
const pingMs = 2_000;

/**
 * Locks by name over all machines that use one schema: each is an advisory lock of a session of its own, which the
 * server frees when the process or its machine is gone. They say who is alive, and nothing else: a session that is lost
 * is opened again, and meanwhile its owner looks dead. So holders still compare before they change anything.
 */
export function createSessionLocks(location: PostgresLedgerLocation): Locks {
  const keyOf = (name: string) => lockKey(location.address.schema, name);
  /** The session of a lock that is held answers questions, too. */
  let own: (() => Connection) | undefined;
  return {
    acquire: async (name, activity) => {
      const connection = await connect(location);
      try {
        if (!(await tryLock(connection, keyOf(name)))) throw held(location.path, name, activity);
        const kept = keptAlive(location, connection, keyOf(name));
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
    isHeld: async (name) => {
      const open = own?.();
      if (open !== undefined && !open.isLost) return isLocked(open, keyOf(name));
      const connection = await connect(location);
      try {
        return await isLocked(connection, keyOf(name));
      } finally {
        await connection.close();
      }
    },
  };
}

/** A signed 64-bit number for a name; the locks of a database share one space of them. */
function lockKey(schema: string, name: string): bigint {
  return hash('sha256', `reviewctl ${schema} ${name}`, 'buffer').readBigInt64BE();
}

async function tryLock(connection: Connection, key: bigint): Promise<boolean> {
  const [row] = await connection.query<{ readonly is_held: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS is_held',
    [key],
  );
  return row?.is_held === true;
}

/** Asks the table of locks, which holds up nobody who acquires one. */
async function isLocked(connection: Connection, key: bigint): Promise<boolean> {
  const rows = await connection.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::bigint << 32) | objid::bigint = $1`,
    [key],
  );
  return rows.length > 0;
}

/** Asks the session now and then, and opens another one where it is gone. */
function keptAlive(
  location: PostgresLedgerLocation,
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
    connection = await connect(location);
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
