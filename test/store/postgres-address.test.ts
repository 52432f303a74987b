import { describe, expect, test } from 'vitest';
import { markedLocation, postgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import {
  parsePostgresUrl,
  placeFlag,
  postgresUrl,
  schemaOfShop,
} from '../../src/store/sql/postgres-address.ts';

const newMark = () => ({
  ledgerId: 'L',
  origin: 'o',
  accounts: [],
  inode: null,
  seq: 0,
  seal: '',
  epoch: 0,
  movedAtMs: 0,
  isRetired: false,
});

function failureOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test.each([
  ['postgres://ann@db.example/ledgers', 'postgres://ann@db.example/ledgers?schema=reviewctl_mall'],
  [
    'postgresql://db.example:5433/l?sslmode=require',
    'postgres://db.example:5433/l?sslmode=require&schema=reviewctl_mall',
  ],
  [
    'postgres:///l?host=/run/postgresql&user=ann&port=5433',
    'postgres:///l?host=/run/postgresql&port=5433&user=ann&schema=reviewctl_mall',
  ],
  ['postgres:///l', 'postgres:///l?schema=reviewctl_mall'],
  ['postgres://ann@[::1]:5432/l', 'postgres://ann@[::1]:5432/l?schema=reviewctl_mall'],
  [
    'postgres://%EC%83%81@db.example/%EC%83%81',
    'postgres://%EC%83%81@db.example/%EC%83%81?schema=reviewctl_mall',
  ],
  [
    'postgres://db.example/l?sslrootcert=/etc/ca.pem&schema=other',
    'postgres://db.example/l?sslrootcert=/etc/ca.pem&schema=other',
  ],
  ['postgres:///l?port=1', 'postgres:///l?port=1&schema=reviewctl_mall'],
  ['postgres:///l?user=ann', 'postgres:///l?user=ann&schema=reviewctl_mall'],
  ['postgres:///l?host=/tmp', 'postgres:///l?host=/tmp&schema=reviewctl_mall'],
  ['postgres:///l?host=/a%20b', 'postgres:///l?host=/a%20b&schema=reviewctl_mall'],
  ['postgres:///l?host=::1', 'postgres://[::1]/l?schema=reviewctl_mall'],
  ['postgres:///l?host=[::1]', 'postgres://[::1]/l?schema=reviewctl_mall'],
  ['postgres:///l?host=/a:b', 'postgres:///l?host=/a%3Ab&schema=reviewctl_mall'],
  [
    'postgres:///l?host=db.example&user=ann&port=65535',
    'postgres://ann@db.example:65535/l?schema=reviewctl_mall',
  ],
  ['postgres://ann@db.example:1/l?user=bob&port=2', 'postgres://bob@db.example:2/l?schema=reviewctl_mall'],
  ['postgres://localhost/l?sslmode=disable', 'postgres://localhost/l?schema=reviewctl_mall'],
  [
    'postgres://localhost/l?sslmode=verify-full',
    'postgres://localhost/l?sslmode=verify-full&schema=reviewctl_mall',
  ],
  ['POSTGRES://db.example/a%20%26%20b', 'postgres://db.example/a%20%26%20b?schema=reviewctl_mall'],
])('the address of %s is %s, which is taken back as it is', (text, shown) => {
  const address = parsePostgresUrl(text, 'mall');
  expect(postgresUrl(address)).toBe(shown);
  expect(parsePostgresUrl(shown, 'unused')).toEqual(address);
});

test('a connection that leaves this machine is encrypted and the server proves its name, unless it is said otherwise', () => {
  const modeOf = (text: string) => parsePostgresUrl(text, 'mall').sslMode;
  expect(modeOf('postgres://db.example/l')).toBe('verify-full');
  expect(modeOf('postgres://db.example/l?sslmode=disable')).toBe('disable');
  for (const local of ['localhost', '127.0.0.1', '[::1]'])
    expect(modeOf(`postgres://${local}/l`)).toBe('disable');
  expect(modeOf('postgres:///l?host=/tmp')).toBe('disable');
});

test.each([
  ['postgres://ann:hush@db.example/l', 'contains a password'],
  ['postgres://ann@db.example/l?password=hush', 'contains a password'],
  ['mysql://db.example/hush', 'is not the address of a PostgreSQL database'],
  ['hush', 'is not the address of a PostgreSQL database'],
  ['postgres://ann@/hush', 'is not the address of a PostgreSQL database'],
  ['postgres://db.example', 'does not name a database'],
  ['postgres://db.example/a/hush', 'does not name a database'],
  ['postgres:///l?port=99999', 'has an invalid port'],
  ['postgres:///l?port=65536', 'has an invalid port'],
  ['postgres:///l?port=0', 'has an invalid port'],
  ['postgres:///l?port=1.5', 'has an invalid port'],
  ['postgres://db.example/', 'does not name a database'],
  ['postgres:///l?target=any', "has an unknown parameter 'target'"],
  ['postgres:///l?sslmode=prefer', "has an unknown sslmode 'prefer'"],
  ['postgres:///l?schema=', 'names a schema that PostgreSQL does not take'],
  ['postgres:///l?schema=pg_own', 'names a schema that PostgreSQL does not take'],
  [`postgres:///l?schema=${'상'.repeat(22)}`, 'names a schema that PostgreSQL does not take'],
])('%s is refused: %s; and what may be a password is not repeated', (text, why) => {
  const parse = () => parsePostgresUrl(text, 'mall');
  expect(parse).toThrow(why);
  expect(parse).not.toThrow('hush');
});

test.each([
  [
    'postgres://ann:hush@db.example/l',
    'leave it out, and give it as PGPASSWORD, in a file named by PGPASSFILE, or with -c state-password-file=FILE',
  ],
  [
    'postgres:///',
    'write it as postgres://USER@HOST/DATABASE, or with ?host=FOLDER for a socket; it may have sslmode, sslrootcert, ' +
      'port, user and schema',
  ],
  ['postgres:///l?sslmode=prefer', 'write one of disable, require, verify-full'],
])('whoever gives %s is told what to write', (text, hint) => {
  expect(failureOf(() => parsePostgresUrl(text, 'mall'))).toMatchObject({ kind: 'usage', hint });
});

test.each([
  ['postgres://db.example/l', 'state'],
  ['POSTGRESQL:///l', 'state'],
  ['/state/postgres:/ledger.db', 'ledger'],
])('the ledger at %s is named with %s', (place, setting) => {
  expect(placeFlag(place)).toEqual(['-c', `${setting}=${place}`]);
});

test.each([
  ['x'.repeat(50), /^reviewctl_x{50}$/],
  ['x'.repeat(51), /^reviewctl_x{40}_[0-9a-f]{8}$/],
  ['-Mall & Söhne-', /^reviewctl_mall_s_hne_[0-9a-f]{8}$/],
  ['상점', /^reviewctl_[0-9a-f]{8}$/],
])('the schema of the shop %s has a name in which it is seen', (shop, name) => {
  expect(schemaOfShop(shop)).toMatch(name);
});

test('every shop has a schema of its own, whose name PostgreSQL takes as it is', () => {
  expect(schemaOfShop('mall_2')).toBe('reviewctl_mall_2');
  const odd = ['Mall', 'mall ', '상점', 'a-b', 'a_b', 'x'.repeat(200), '"; DROP SCHEMA', ''];
  const schemas = odd.map(schemaOfShop);
  expect(new Set(schemas).size).toBe(odd.length);
  for (const schema of schemas) expect(schema).toMatch(/^reviewctl_[a-z0-9_]{1,53}$/);
});

describe('the ledger that a mark names', () => {
  const location = postgresLedgerLocation('/state', '/state/p', {
    url: 'postgres://a@one.example/l',
    password: 'hush',
    shop: 's',
  });
  const marked = (path: string) => markedLocation({ ...newMark(), path, shop: 's' }, location);

  test.each([
    ['postgres://a@one.example/other?schema=x', 'hush'],
    ['postgres://a@two.example/l?schema=x', undefined],
    ['postgres://a@one.example:5433/l?schema=x', undefined],
    ['postgres://b@one.example/l?schema=x', undefined],
  ])(
    'at %s is reached with the password %s: it goes to the server that it was given for',
    (path, password) => {
      expect(marked(path)).toEqual({
        kind: 'postgres',
        holds: 'ledger',
        path,
        address: parsePostgresUrl(path, 's'),
        password,
        folder: '/state/p',
        marksPath: '/state/high-water-marks.db',
        lockName: 'x',
        callRecordsFolder: '/state/p/reviewctl_s.evidence',
      });
    },
  );

  test('in a file is that file', () => {
    expect(marked('/state/p/ledger.db')).toEqual({
      kind: 'sqlite',
      path: '/state/p/ledger.db',
      named: '/state/p/ledger.db',
      marksPath: '/state/high-water-marks.db',
      lockName: 'ledger.db',
      callRecordsFolder: '/state/p/ledger.db.evidence',
    });
    const file = markedLocation(
      { ...newMark(), path: location.path, shop: 's' },
      marked('/state/p/ledger.db'),
    );
    expect(file).toMatchObject({ kind: 'postgres', password: undefined });
  });
});
