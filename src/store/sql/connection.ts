import type { Client } from 'pg';
import { crypto } from '../../base/crypto.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { databaseFailure, sessionEnded } from './database-failure.ts';
import type { PostgresAddress, PostgresPlace } from './postgres-address.ts';
import type { SqlValue } from './sql.ts';

/** One session of the server. Queries are pipelined and answered in order. */
export interface Connection {
  /** The server process that the session announced at its start; a pooler announces another number. */
  readonly announcedBackend: number;
  /**
   * Runs a query; 64-bit integers are read as bigint. A query with a name is planned once.
   * @throws Failure if the server is unreachable, out of space or damaged; otherwise pg's own error.
   */
  readonly query: <Row>(
    text: string,
    parameters?: readonly SqlValue[],
    name?: string,
  ) => Promise<readonly Row[]>;
  /** True if the session ended by itself. */
  readonly isLost: boolean;
  close(): Promise<void>;
}

/** pg's types lack the backend key that the server announces. */
type Session = Client & { readonly processID: number | null };

/** Long enough for a server that starts on a busy machine, in milliseconds. */
const connectMs = 10_000;

/** Server settings of one session, by name. */
type SessionSettings = Readonly<Record<string, string>>;

/** Default settings of a session. The server soon drops the session of a dead process. */
const usualSettings: SessionSettings = {
  lock_timeout: '10000',
  idle_in_transaction_session_timeout: '5000',
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
  // A table may grow from nothing to many rows within a minute; until it is analyzed, the planner would scan it whole.
  enable_seqscan: 'off',
  // With that setting, a query that must scan has such a high cost that it would be compiled first.
  jit: 'off',
};

interface SessionOptions {
  /** The name of the session at the server. */
  readonly application?: string;
  /** Override or extend the default settings. */
  readonly settings?: SessionSettings;
}

/**
 * Opens a session at the server of a place.
 * @throws Failure as `databaseFailure`; Failure('config') if its certificates cannot be read.
 */
export async function connect(
  place: PostgresPlace,
  { application = 'reviewctl', settings = {} }: SessionOptions = {},
): Promise<Connection> {
  const { address, password } = place;
  let lost: unknown;
  try {
    const { Client, types } = await import('pg');
    const client = new Client({
      ...serverOf(address),
      ...(password === undefined ? {} : { password }),
      application_name: application,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      pipeline: true,
      types: {
        getTypeParser: (type, format) =>
          Number(type) === types.builtins.INT8 ? BigInt : types.getTypeParser(type, format),
      },
    }) as Session;
    // Without a listener, a session that ends by itself would end the process. Later errors follow from the first.
    client.on('error', (error) => {
      lost ??= error;
    });
    // pg warns on stderr about features that its next major version drops, such as reading PGPASSFILE. Users cannot act
    // on that, and with log-format json each line on stderr reports a problem.
    process.noDeprecation = true;
    await client.connect();
    const connection = connectionOf(client, place, () => lost);
    await set(connection, { ...usualSettings, ...settings });
    return connection;
  } catch (error) {
    throw databaseFailure(place, error);
  }
}

/** Sets all in one statement, since each statement costs time at the server. */
async function set({ query }: Connection, settings: SessionSettings): Promise<void> {
  const pairs = Object.entries(settings);
  const calls = pairs.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`);
  await query(`SELECT ${calls.join(', ')}`, pairs.flat());
}

/** Runs `work` in a separate session. @throws as `connect`, and errors of `work`. */
export async function withConnection<T>(
  place: PostgresPlace,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(place);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

function connectionOf(client: Session, place: PostgresPlace, lostBy: () => unknown): Connection {
  return {
    announcedBackend: client.processID ?? 0,
    query: async (text, parameters = [], name) => {
      try {
        sendTogether(client);
        const { rows } = await client.query({
          text,
          values: [...parameters],
          ...(name === undefined ? {} : { name }),
        });
        return rows;
      } catch (error) {
        throw databaseFailure(place, isOfEndedSession(error) ? endedSession(lostBy(), error) : error);
      }
    },
    get isLost() {
      return lostBy() !== undefined;
    },
    close: () => client.end().catch(() => undefined),
  };
}

/** The only message of the client for every query after the end of a session. */
function isOfEndedSession(error: unknown): boolean {
  return messageOf(error).endsWith('is not queryable');
}

/** `lostBy` is the error that ended the session; undefined if this program ended it. */
function endedSession(lostBy: unknown, cause: unknown): Error {
  const why = lostBy === undefined ? '' : `: ${messageOf(lostBy)}`;
  return new Error(`${sessionEnded}${why}`, { cause });
}

/** Sends all queries of one turn of the event loop in one packet: the cost is per packet, not per byte. */
function sendTogether({ connection: { stream } }: Session): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function serverOf({ host, port, user, database, sslMode, sslRootCert }: PostgresAddress) {
  const ca = sslRootCert === undefined ? {} : { ca: certificatesIn(sslRootCert) };
  return {
    database,
    ...(host === undefined ? {} : { host: host.replaceAll(/^\[|\]$/g, '') }),
    ...(port === undefined ? {} : { port }),
    ...(user === undefined ? {} : { user }),
    ssl: sslMode === 'disable' ? false : { ...ca, rejectUnauthorized: sslMode === 'verify-full' },
  };
}

/** @throws Failure('config') if it has no readable certificate: Node.js would then use its built-in ones. */
function certificatesIn(path: string): string {
  try {
    const text = readRegularFile(path);
    new (crypto().X509Certificate)(text);
    return text;
  } catch (error) {
    throw new Failure(
      'config',
      `${path}, which sslrootcert names in the setting state, cannot be read: ${messageOf(error)}`,
      'check the path; it leads to the certificates (PEM) of authorities that may have issued that of the server',
      { cause: error },
    );
  }
}
