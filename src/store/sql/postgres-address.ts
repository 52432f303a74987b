import { crypto } from '../../base/crypto.ts';
import { Failure } from '../../base/failure.ts';
import { shellWord } from '../../base/shell-word.ts';

/** Whether a connection is encrypted, and whether the server has to prove its name; as libpq names it. */
export type SslMode = 'disable' | 'require' | 'verify-full';

const sslModes: ReadonlySet<string> = new Set<SslMode>(['disable', 'require', 'verify-full']);

/** A schema in a PostgreSQL database. What is left out is found as every client of PostgreSQL finds it (`PGHOST`). */
export interface PostgresAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** The file of the authorities that may have issued the certificate of the server; by default those of Node.js. */
  readonly sslRootCert: string | undefined;
  readonly schema: string;
}

/** A schema with the credential for it: all that a connection needs. */
export interface PostgresPlace {
  /** The address, as messages show it. */
  readonly path: string;
  /** What messages call it. */
  readonly holds: 'ledger' | 'state';
  readonly address: PostgresAddress;
  /** Found in the files of every client of PostgreSQL (`PGPASSFILE`) where it is left out. */
  readonly password: string | undefined;
}

const schemes: ReadonlySet<string> = new Set(['postgres:', 'postgresql:']);

/** Whether the place of a ledger is in a database rather than a file. */
export function isPostgresUrl(place: string): boolean {
  return /^postgres(?:ql)?:/i.test(place);
}

/** The words that name the ledger at this place on a command line. */
export function placeFlag(place: string): readonly string[] {
  return ['-c', `${isPostgresUrl(place) ? 'state' : 'ledger'}=${place}`];
}

/** As `placeFlag`, as typed in a shell. */
export function placeText(place: string): string {
  return placeFlag(place).map(shellWord).join(' ');
}

const parameters: ReadonlySet<string> = new Set(['host', 'port', 'user', 'sslmode', 'sslrootcert', 'schema']);

/**
 * Reads `postgres://user@host:5432/database?sslmode=verify-full`; the schema is that of the shop unless it is named.
 * @throws Failure('usage') for any other address; its text is not repeated, since it may hold a password.
 */
export function parsePostgresUrl(text: string, shop: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !schemes.has(url.protocol)) {
    throw refused('is no address of a PostgreSQL database');
  }
  const given = new Map(url.searchParams);
  if (url.password !== '' || given.has('password')) {
    throw new Failure(
      'usage',
      'the setting state holds a password, which other users of this machine could read',
      'leave it out, and give it as PGPASSWORD, in a file named by PGPASSFILE, or with -c state-password-file=FILE',
    );
  }
  const unknown = [...given.keys()].find((name) => !parameters.has(name));
  if (unknown !== undefined) throw refused(`has an unknown parameter '${unknown}'`);
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '' || database.includes('/')) throw refused('names no database');
  const host = inBrackets(given.get('host')) ?? (decodeURIComponent(url.hostname) || undefined);
  return {
    host,
    port: portOf(given.get('port') ?? url.port),
    user: given.get('user') ?? (decodeURIComponent(url.username) || undefined),
    database,
    sslMode: sslModeOf(given.get('sslmode'), host),
    sslRootCert: given.get('sslrootcert'),
    schema: given.get('schema') ?? schemaOfShop(shop),
  };
}

/** The address with its schema: what marks, records and messages call a ledger there, and the setting state takes. */
export function postgresUrl({
  host,
  port,
  user,
  database,
  sslMode,
  sslRootCert,
  schema,
}: PostgresAddress): string {
  // Without a host, or with the folder of a socket, there is no place for a user or a port before the path.
  const isHost = host !== undefined && !host.startsWith('/');
  const authority = isHost
    ? [user === undefined ? '' : `${encodeURIComponent(user)}@`, host, port === undefined ? '' : `:${port}`]
    : [];
  const query = Object.entries({
    ...(isHost ? {} : { host, port, user }),
    sslmode: sslMode === defaultSslMode(host) ? undefined : sslMode,
    sslrootcert: sslRootCert,
    schema,
  }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`,
  );
  return `postgres://${authority.join('')}/${encodeURIComponent(database)}?${query.join('&')}`;
}

/** The longest name of PostgreSQL has 63 bytes. */
const plainShop = /^[a-z0-9_]{1,50}$/;

/** `reviewctl_mall`; a name that is no plain word gets a hash, so that no two shops share a schema. */
export function schemaOfShop(shop: string): string {
  if (plainShop.test(shop)) return `reviewctl_${shop}`;
  const words = shop
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 40);
  return ['reviewctl', words, crypto().hash('sha256', shop, 'hex').slice(0, 8)]
    .filter((part) => part !== '')
    .join('_');
}

/** The name of a schema as SQL writes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The number of an advisory lock, 64 bits with a sign; those of all schemas of a database share one space. */
export function lockKey(schema: string, name: string): bigint {
  return crypto().hash('sha256', `reviewctl ${schema} ${name}`, 'buffer').readBigInt64BE();
}

/** An IPv6 address as addresses of all kinds have it. */
function inBrackets(host: string | undefined): string | undefined {
  return host !== undefined && /^[^/[]*:/.test(host) ? `[${host}]` : host;
}

function portOf(text: string): number | undefined {
  if (text === '') return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw refused('has an invalid port');
}

function sslModeOf(text: string | undefined, host: string | undefined): SslMode {
  if (text === undefined) return defaultSslMode(host);
  if (sslModes.has(text)) return text as SslMode;
  throw refused(`has an unknown sslmode '${text}'`, 'write one of disable, require, verify-full');
}

/** Names of this machine; nothing leaves it. */
const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function defaultSslMode(host: string | undefined): SslMode {
  const isLocal = host === undefined || host.startsWith('/') || localHosts.has(host);
  return isLocal ? 'disable' : 'verify-full';
}

function refused(
  why: string,
  remedy = 'write it as postgres://USER@HOST/DATABASE, or with ?host=FOLDER for a socket; it may have sslmode, ' +
    'sslrootcert, port, user and schema',
): Failure {
  return new Failure('usage', `the setting state ${why}`, remedy);
}
