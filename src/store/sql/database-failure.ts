import { Failure, type FailureKind, messageOf, systemCodeOf } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { isAuthorityUnknown, opensslReason } from '../../base/tls-failure.ts';
import type { PostgresPlace } from './postgres-address.ts';

/** The meaning of a server error for the user, by its SQLSTATE or the first two digits of it. */
interface Meaning {
  readonly kind: FailureKind;
  readonly what: string;
  readonly remedy: HintText;
}

const unreachable: Meaning = {
  kind: 'unreachable-state',
  what: 'cannot be reached',
  remedy:
    'check that the server runs and accepts this connection, then run the same command again; it continues',
};
const untrusted: Meaning = {
  ...unreachable,
  remedy:
    'if the certificate of the server was issued by an authority of your own, add ?sslrootcert=FILE with the ' +
    'certificate of that authority (PEM) to the setting state; otherwise somebody else may be answering',
};
const rejected: Meaning = {
  kind: 'not-authenticated',
  what: 'was refused by its server',
  remedy:
    'check the user in the setting state, and its password: PGPASSWORD, PGPASSFILE or state-password-file',
};
const unusable: Meaning = {
  kind: 'unwritable-path',
  what: 'cannot be written',
  remedy: 'check that the disk of the server has free space and works, then run the same command again',
};
const broken: Meaning = {
  kind: 'ledger',
  what: 'is damaged',
  remedy: hint`run ${reviewctl`ledger verify`}, then restore a backup; a damaged ledger pays nothing`,
};
const brokenState: Meaning = {
  kind: 'unreadable-path',
  what: 'is damaged',
  remedy: 'restore its database from a backup; without its journal a push would send the same records again',
};
const busy: Meaning = {
  kind: 'locked',
  what: 'is kept busy by other sessions',
  remedy: 'find the session that blocks it (pg_stat_activity), then run the same command again',
};

const meanings: Readonly<Record<string, Meaning>> = {
  '08': unreachable,
  '28': rejected,
  '3D000': {
    kind: 'config',
    what: 'is in a database that does not exist',
    remedy: 'check the name of the database in the setting state, or create it (createdb)',
  },
  '3F000': broken,
  '42P01': broken,
  '42703': broken,
  '40P01': busy,
  '42501': {
    kind: 'not-allowed',
    what: 'may not be used by this user',
    remedy:
      'as its owner: GRANT CREATE ON DATABASE … TO …, so that this user can create the schema; ' +
      'everything else requires its ownership',
  },
  '25006': unusable,
  '53': unusable,
  '53300': unreachable,
  '55P03': busy,
  '57P01': unreachable,
  '57P02': unreachable,
  '57P03': unreachable,
  '25P03': unreachable,
  '58': unusable,
  XX001: broken,
  XX002: broken,
};

/** The start of the message for an ended session. */
export const sessionEnded = 'the session with the server has ended';

/** Node.js error codes of an unreachable server. */
const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
]);

/** Converts a database error into a Failure; returns an error caused by a bug unchanged. */
export function databaseFailure({ path, holds }: PostgresPlace, error: unknown): unknown {
  if (error instanceof Failure) return error;
  const meaning = meaningOf(error);
  if (meaning === undefined) return error;
  const { kind, what, remedy } = meaning === broken && holds === 'state' ? brokenState : meaning;
  return new Failure(kind, `the ${holds} ${path} ${what}: ${reasonOf(error)}`, remedy, { cause: error });
}

/** True if an object with this name or key already exists. */
export function isDuplicate(error: unknown): boolean {
  return ['23505', '42710', '42P06', '42P07'].includes(systemCodeOf(error) ?? '');
}

function meaningOf(error: unknown): Meaning | undefined {
  const code = systemCodeOf(error) ?? '';
  const known = meanings[code] ?? meanings[code.slice(0, 2)];
  if (known !== undefined && /^[0-9A-Z]{5}$/.test(code)) return known;
  if (isUnwritten(error)) return unusable;
  if (/^SASL: .*password|password must be/.test(messageOf(error))) return rejected;
  if (isAuthorityUnknown(error)) return untrusted;
  if (networkCodes.has(code) || isOfTls(code)) return unreachable;
  // An ended session, a slow server and one without TLS have no code.
  const message = messageOf(error);
  const isOfSession =
    message.startsWith(sessionEnded) || /connection (?:terminated|error)|timeout|closed|SSL/i.test(message);
  return error instanceof Error && isOfSession ? unreachable : undefined;
}

/**
 * The server reports a file that it cannot write at session start only as an internal error, whose text it does not
 * translate.
 */
function isUnwritten(error: unknown): boolean {
  return systemCodeOf(error) === 'XX000' && messageOf(error).startsWith('could not write');
}

function isOfTls(code: string): boolean {
  return code.startsWith('ERR_TLS') || code.includes('CERT') || code.startsWith('ERR_SSL');
}

/** A host with several addresses fails once for each; the aggregate has no message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return opensslReason(error);
}
