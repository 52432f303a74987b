import { crypto } from '../../base/crypto.ts';
import { Failure } from '../../base/failure.ts';
import { shellWord } from '../../base/shell-word.ts';

/** TLS mode as named by libpq: encryption, and proof of the server's name. */
export type SslMode = 'disable' | 'require' | 'verify-full';

const sslModes: ReadonlySet<string> = new Set<SslMode>(['disable', 'require', 'verify-full']);

/** A schema in a PostgreSQL database. Missing parts default as in every PostgreSQL client (`PGHOST`). */
export interface PostgresAddress {
  /** A host name, an IP address, or the folder of a socket. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** The CA file for the certificate of the server; by default, the CAs of Node.js. */
  readonly sslRootCert: string | undefined;
  readonly schema: string;
}

/** A schema and the credential for it: everything a connection needs. */
export interface PostgresPlace {
  /** The address as shown in messages. */
  readonly path: string;
  /** The name of its content in messages. */
  readonly holds: 'ledger' | 'state';
  readonly address: PostgresAddress;
  /** If left out, read from the files of every PostgreSQL client (`PGPASSFILE`). */
  readonly password: string | undefined;
}

const schemes: ReadonlySet<string> = new Set(['postgres:', 'postgresql:']);

/** True if a ledger's place is a database rather than a file. */
export function isPostgresUrl(place: string): boolean {
  return /^postgres(?:ql)?:/i.test(place);
}

/** The arguments that name the ledger at this place on a command line. */
export function placeFlag(place: string): readonly string[] {
  return ['-c', `${isPostgresUrl(place) ? 'state' : 'ledger'}=${place}`];
}

/** As `placeFlag`, quoted for a shell. */
export function placeText(place: string): string {
  return placeFlag(place).map(shellWord).join(' ');
}

const parameters: ReadonlySet<string> = new Set(['host', 'port', 'user', 'sslmode', 'sslrootcert', 'schema']);

/**
 * Parses `postgres://user@host:5432/database?sslmode=verify-full`; without `schema`, the schema is that of the shop.
 * @throws Failure('usage') for any other address. Its text is not repeated, since it may contain a password.
 */
export function parsePostgresUrl(text: string, shop: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !schemes.has(url.protocol)) {
    throw refused('is not the address of a PostgreSQL database');
  }
  const given = new Map(url.searchParams);
  if (url.password !== '' || given.has('password')) {
    throw new Failure(
      'usage',
      'the setting state contains a password, which other users of this machine could read',
      'leave it out, and give it as PGPASSWORD, in a file named by PGPASSFILE, or with -c state-password-file=FILE',
    );
  }
  const unknown = [...given.keys()].find((name) => !parameters.has(name));
  if (unknown !== undefined) throw refused(`has an unknown parameter '${unknown}'`);
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '' || database.includes('/')) throw refused('does not name a database');
  const host = inBrackets(given.get('host')) ?? (decodeURIComponent(url.hostname) || undefined);
  return {
    host,
    port: portOf(given.get('port') ?? url.port),
    user: given.get('user') ?? (decodeURIComponent(url.username) || undefined),
    database,
    sslMode: sslModeOf(given.get('sslmode'), host),
    sslRootCert: given.get('sslrootcert'),
    schema: schemaOf(given.get('schema') ?? schemaOfShop(shop)),
  };
}

/**
 * The address with its schema: the name of a ledger in marks, records and messages, and a value of the setting state.
 */
export function postgresUrl({
  host,
  port,
  user,
  database,
  sslMode,
  sslRootCert,
  schema,
}: PostgresAddress): string {
  // Without a host, or with the folder of a socket, user and port cannot precede the path.
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

/** PostgreSQL silently truncates longer names: two names, each with its own locks, would be one schema. */
const nameBytesMaximum = 63;

function schemaOf(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes > 0 && bytes <= nameBytesMaximum && !/^pg_|\0/.test(name)) return name;
  throw refused(
    'names a schema that PostgreSQL does not take',
    `write a schema of 1 to ${nameBytesMaximum} bytes that does not begin with pg_`,
  );
}

/** Shops whose names fit into `nameBytesMaximum` as they are. */
const plainShop = /^[a-z0-9_]{1,50}$/;

/** `reviewctl_mall`. Any other name gets a hash, so that no two shops share a schema. */
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

/** Quotes an identifier for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The key of an advisory lock, a signed 64-bit integer. All schemas of a database share one key space. */
export function lockKey(schema: string, name: string): bigint {
  return crypto().hash('sha256', `reviewctl ${schema} ${name}`, 'buffer').readBigInt64BE();
}

/** Puts an IPv6 address in brackets, as in a URL. */
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

/** Names of this machine; traffic to them stays local. */
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
