import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { databaseFailure, isDuplicate } from '../../src/store/sql/database-failure.ts';
import { parsePostgresUrl } from '../../src/store/sql/postgres-address.ts';

/** An error as thrown by pg or Node.js. */
function errorOf(code: string | undefined, message = 'its own words'): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

function failureOf(error: unknown, holds: 'ledger' | 'state' = 'ledger'): unknown {
  const address = parsePostgresUrl('postgres://db.example/shop', 'shop');
  return databaseFailure({ path: 'postgres://db.example/shop', holds, address, password: undefined }, error);
}

const unreachable =
  'check that the server runs and accepts this connection, then run the same command again; it continues';
const full = 'check that the disk of the server has free space and works, then run the same command again';
const busy = 'find the session that blocks it (pg_stat_activity), then run the same command again';
const damaged = 'run reviewctl ledger verify, then restore a backup; a damaged ledger pays nothing';
const credential =
  'check the user in the setting state, and its password: PGPASSWORD, PGPASSFILE or state-password-file';

/** By SQLSTATE (PostgreSQL, appendix A). */
const ofServer: readonly (readonly [string, string, string, string])[] = [
  ['08006', 'unreachable-state', 'cannot be reached', unreachable],
  ['28P01', 'not-authenticated', 'was refused by its server', credential],
  [
    '3D000',
    'config',
    'is in a database that does not exist',
    'check the name of the database in the setting state, or create it (createdb)',
  ],
  ['3F000', 'ledger', 'is damaged', damaged],
  ['42P01', 'ledger', 'is damaged', damaged],
  ['42703', 'ledger', 'is damaged', damaged],
  ['XX001', 'ledger', 'is damaged', damaged],
  ['XX002', 'ledger', 'is damaged', damaged],
  ['40P01', 'locked', 'is kept busy by other sessions', busy],
  ['55P03', 'locked', 'is kept busy by other sessions', busy],
  [
    '42501',
    'not-allowed',
    'may not be used by this user',
    'as its owner: GRANT CREATE ON DATABASE … TO …, so that this user can create the schema; everything else requires its ownership',
  ],
  ['25006', 'unwritable-path', 'cannot be written', full],
  ['53100', 'unwritable-path', 'cannot be written', full],
  ['58030', 'unwritable-path', 'cannot be written', full],
  ...['53300', '57P01', '57P02', '57P03', '25P03'].map(
    (code) => [code, 'unreachable-state', 'cannot be reached', unreachable] as const,
  ),
];

/** By the code of Node.js, or by message if the client has no code. */
const ofConnection: readonly (readonly [string | undefined, string])[] = [
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ].map((code) => [code, 'its own words'] as const),
  ['ENOENT', 'connect ENOENT /run/postgresql/.s.PGSQL.5432'],
  ['EACCES', 'connect EACCES /run/postgresql/.s.PGSQL.5432'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its own words'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'its own words'],
  ['CERT_HAS_EXPIRED', 'its own words'],
  [undefined, 'Connection terminated unexpectedly'],
  [undefined, 'Connection error'],
  [undefined, 'timeout expired'],
  [undefined, 'the session with the server has ended: terminating connection due to administrator command'],
  [undefined, 'Client was closed'],
  [undefined, 'The server does not support SSL connections'],
];

describe('an error of a database', () => {
  it.each(ofServer)('with SQLSTATE %s is %s', (code, kind, what, hint) => {
    const error = errorOf(code);
    expect(failureOf(error)).toMatchObject({
      kind,
      message: `the ledger postgres://db.example/shop ${what}: its own words`,
      hint,
      cause: error,
    });
  });

  it.each(ofConnection)(
    'with the code %s, or the words %j, is a server that cannot be reached',
    (code, message) => {
      expect(failureOf(errorOf(code, message), 'state')).toMatchObject({
        kind: 'unreachable-state',
        message: `the state postgres://db.example/shop cannot be reached: ${message}`,
        hint: unreachable,
      });
    },
  );

  it('with a file that the server could not write as a session began is one of its disk', () => {
    expect(failureOf(errorOf('XX000', 'could not write init file'))).toMatchObject({
      kind: 'unwritable-path',
      message: 'the ledger postgres://db.example/shop cannot be written: could not write init file',
      hint: full,
    });
  });

  it('names what each address of a host answered', () => {
    const errors = [
      errorOf('ECONNREFUSED', 'refused by ::1'),
      errorOf('ECONNREFUSED', 'refused by 127.0.0.1'),
    ];
    const whole = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
    expect(failureOf(whole)).toMatchObject({
      message:
        'the ledger postgres://db.example/shop cannot be reached: refused by ::1; refused by 127.0.0.1',
    });
  });

  it.each([
    'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
    'password must be a string',
  ])('without a password is one of the credential: %s', (message) => {
    expect(failureOf(errorOf(undefined, message))).toMatchObject({
      kind: 'not-authenticated',
      hint: credential,
    });
  });

  it('on a damaged state asks for its backup, as no ledger can be verified there', () => {
    expect(failureOf(errorOf('42P01'), 'state')).toMatchObject({
      kind: 'unreadable-path',
      message: 'the state postgres://db.example/shop is damaged: its own words',
      hint: 'restore its database from a backup; without its journal a push would send the same records again',
    });
    expect(failureOf(errorOf('55P03'), 'state')).toMatchObject({ kind: 'locked', hint: busy });
  });

  it.each([
    new Failure('usage', 'said already', 'do this'),
    errorOf('22P02'),
    errorOf('42601'),
    errorOf('XX000', 'could not find tuple for rule 4711'),
    // Codes with the prefix of a server code.
    errorOf('08'),
    errorOf('58_NOT_A_SQLSTATE'),
    new TypeError('a mistake of this program'),
    'no error at all',
  ])('is returned as it is where it says all, or is a mistake of this program: %s', (error) => {
    expect(failureOf(error)).toBe(error);
  });
});

describe('an error of the encryption', () => {
  it.each([
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_UNTRUSTED',
  ])('with the code %s says how an authority is named', (code) => {
    expect(failureOf(errorOf(code))).toMatchObject({
      kind: 'unreachable-state',
      hint:
        'if the certificate of the server was issued by an authority of your own, add ?sslrootcert=FILE with the ' +
        'certificate of that authority (PEM) to the setting state; otherwise somebody else may be answering',
    });
  });

  it('of OpenSSL says its reason alone', () => {
    const line =
      '809C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl/record.c:350:\n';
    const error = Object.assign(errorOf('EPROTO', line), { reason: 'wrong version number' });
    expect(failureOf(error)).toMatchObject({
      kind: 'unreachable-state',
      message: 'the ledger postgres://db.example/shop cannot be reached: wrong version number',
    });
  });
});

it.each([
  ['23505', true],
  ['42P06', true],
  ['42P07', true],
  ['42710', true],
  ['23503', false],
  [undefined, false],
])('the code %s of something that is there already: %s', (code, isThere) => {
  expect(isDuplicate(errorOf(code))).toBe(isThere);
});
