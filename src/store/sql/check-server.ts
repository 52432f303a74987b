import type { Clock } from '../../base/clock.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import type { HintText } from '../../base/hint.ts';
import { type Connection, connect } from './connection.ts';
import type { PostgresPlace } from './postgres-address.ts';

/** Maximum difference between the clocks of server and machine: leases of claims depend on it. */
const clockDifferenceMs = 2_000;

interface ServerRow {
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly encoding: string;
  readonly is_replica: boolean;
  readonly backend: number;
  readonly now_ms: bigint;
}

// Pins synchronous_commit for the session against later changes of the configuration.
const selectServer = `SELECT current_setting('fsync') AS fsync,
  set_config('synchronous_commit', current_setting('synchronous_commit'), false) AS synchronous_commit,
  current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS is_replica,
  pg_backend_pid() AS backend,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`;

/**
 * Checks that commits of a session will survive a loss of power until it ends, and that it is a real session of the
 * server.
 * @throws Failure('config') with the problem of the server.
 */
export async function checkServer(connection: Connection, place: PostgresPlace, clock: Clock): Promise<void> {
  const askedAtMs = clock.now();
  const [server] = await connection.query<ServerRow>(selectServer);
  const answeredAtMs = clock.now();
  if (server === undefined) throw new Error('the server returned no row');
  const wrong = wrongSetting(server) ?? wrongClock(Number(server.now_ms), { askedAtMs, answeredAtMs });
  if (wrong !== undefined) throw refused(place, ...wrong);
  if (server.backend !== connection.announcedBackend) await checkPooler(connection, place);
}

type Wrong = readonly [what: string, remedy: HintText];

function wrongSetting({ fsync, synchronous_commit, encoding, is_replica }: ServerRow): Wrong | undefined {
  if (is_replica) return ['is a read-only replica', 'name the primary server in the setting state'];
  if (fsync === 'off') {
    return [
      'runs with fsync=off: a loss of power would undo what it reported as recorded',
      'set fsync = on in postgresql.conf, reload it, and run the same command again',
    ];
  }
  if (synchronous_commit === 'off') {
    return [
      'runs with synchronous_commit=off: a crash would undo what it reported as recorded',
      'set it on for this user: ALTER ROLE … SET synchronous_commit = on',
    ];
  }
  return encoding === 'UTF8'
    ? undefined
    : [`stores text as ${encoding}, not as UTF8`, 'create a database with ENCODING UTF8 and name that one'];
}

interface Asking {
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

function wrongClock(nowMs: number, { askedAtMs, answeredAtMs }: Asking): Wrong | undefined {
  const differenceMs = Math.max(askedAtMs - nowMs, nowMs - answeredAtMs);
  if (differenceMs <= clockDifferenceMs) return undefined;
  const where = nowMs > answeredAtMs ? 'ahead of' : 'behind';
  return [
    `has a clock that is ${(differenceMs / 1000).toFixed(1)} s ${where} this machine's; at most ` +
      `${clockDifferenceMs / 1000} s are allowed`,
    'synchronize both clocks (chronyc tracking, timedatectl), then run the same command again',
  ];
}

/** Probes of a pooler. One that hands out its sessions in turn is detected by the second probe. */
const poolerTries = 4;

const selectBackend = 'SELECT pg_backend_pid() AS backend';

/**
 * Handles a session other than the one that the server announced, so a pooler is in between. It is sound if each of its
 * sessions keeps its own server session; this checks whether two share one.
 * @throws Failure('config') if they do, or the pooler allows no transaction.
 */
async function checkPooler(connection: Connection, place: PostgresPlace): Promise<void> {
  const backendOf = async (one: Connection) =>
    (await one.query<Pick<ServerRow, 'backend'>>(selectBackend))[0]?.backend;
  const own = await backendOf(connection);
  const other = await connect(place);
  try {
    await other.query('BEGIN').catch((error: unknown) => {
      throw messageOf(error).includes('statement pooling mode') ? refused(place, ...sharingPooler) : error;
    });
    const another = await backendOf(other);
    await other.query('ROLLBACK');
    const later = [];
    for (let attempt = 0; attempt < poolerTries; attempt += 1) later.push(await backendOf(connection));
    if (another !== own && later.every((backend) => backend === own)) return;
  } finally {
    await other.close();
  }
  throw refused(place, ...sharingPooler);
}

const sharingPooler: Wrong = [
  'is behind a pooler that shares sessions between transactions or statements: the locks that show who is alive ' +
    'would be lost',
  'name the server itself in the setting state, or a pooler with one session for each client (PgBouncer: pool_mode = ' +
    'session)',
];

function refused({ path, holds }: PostgresPlace, what: string, remedy: HintText): Failure {
  return new Failure('config', `the server of the ${holds} ${path} ${what}`, remedy);
}
