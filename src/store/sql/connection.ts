import type { Client } from 'pg';
import { crypto } from '../../base/crypto.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { databaseFailure, sessionEnded } from './database-failure.ts';
import type { PostgresAddress, PostgresPlace } from './postgres-address.ts';
import type { SqlValue } from './sql.ts';

/** One session of the server. Queries are answered in the order in which they were asked, without waiting between. */
export interface Connection {
  /** The process of the server, as it said when the session began; a pooler says something else. */
  readonly announcedBackend: number;
  /**
   * The rows of a query, whose 64-bit integers are read as bigint. One with a name is planned once.
   * @throws Failure where the server is unreachable, out of room or damaged; pg's own error for anything else.
   */
  readonly query: <Row>(
    text: string,
    parameters?: readonly SqlValue[],
    name?: string,
  ) => Promise<readonly Row[]>;
  /** Whether the session ended by itself. */
  readonly isLost: boolean;
  close(): Promise<void>;
}

/** The types of pg leave out what the server says of itself when a session begins. */
type Session = Client & { readonly processID: number | null };

/** Long enough for a server that is starting on a busy machine, in milliseconds. */
const connectMs = 10_000;

/** Settings of the server for one session, by their names, as the server takes them. */
type SessionSettings = Readonly<Record<string, string>>;

/** How a session of this program behaves; no loop of the server outlives a process that is gone. */
const usualSettings: SessionSettings = {
  lock_timeout: '10000',
  idle_in_transaction_session_timeout: '5000',
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
  // Of a table that grows from nothing to many rows within a minute, the server knows no better than to read it whole.
  enable_seqscan: 'off',
  // What reads a table whole all the same costs it so much by that setting that it would compile the query first.
  jit: 'off',
};

interface SessionOptions {
  /** What the server calls the session. */
  readonly application?: string;
  /** Beside the usual ones, or in their place. */
  readonly settings?: SessionSettings;
}

/**
 * Opens a session at the server of a place.
 * @throws Failure as `databaseFailure`; Failure('config') where its certificates cannot be read.
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
    await withoutDeprecations(async () => void (await client.connect()));
    const connection = connectionOf(client, place, () => lost);
    await set(connection, { ...usualSettings, ...settings });
    return connection;
  } catch (error) {
    throw databaseFailure(place, error);
  }
}

const isQuietAlways = process.noDeprecation ?? false;
let quietWork = 0;

/**
 * pg notes on stderr what its next major version drops, such as to read PGPASSFILE. Users can do nothing about that,
 * and with log-format json each line there is a problem. Node.js asks for `noDeprecation` when the notice is made.
 */
async function withoutDeprecations(work: () => Promise<void>): Promise<void> {
  quietWork += 1;
  process.noDeprecation = true;
  try {
    await work();
  } finally {
    quietWork -= 1;
    if (quietWork === 0) process.noDeprecation = isQuietAlways;
  }
}

/** All in one statement: the server plans and answers each. */
async function set({ query }: Connection, settings: SessionSettings): Promise<void> {
  const pairs = Object.entries(settings);
  const calls = pairs.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`);
  await query(`SELECT ${calls.join(', ')}`, pairs.flat());
}

/** Does `work` in a session of its own. @throws as `connect`, and what `work` throws. */
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

/** Of every query after the end of a session, the client says no more than that. */
function isOfEndedSession(error: unknown): boolean {
  return messageOf(error).endsWith('is not queryable');
}

/** `lostBy` is what ended the session, unless this program did. */
function endedSession(lostBy: unknown, cause: unknown): Error {
  const why = lostBy === undefined ? '' : `: ${messageOf(lostBy)}`;
  return new Error(`${sessionEnded}${why}`, { cause });
}

/** What is asked in one turn of the event loop leaves in one piece: both sides pay for each piece, not for its size. */
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

/** @throws Failure('config') where there are none that can be read: without any, Node.js would take those it knows. */
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
