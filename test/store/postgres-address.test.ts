import { expect, test } from 'vitest';
import { markedLocation, postgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { parsePostgresUrl, postgresUrl, schemaOfShop } from '../../src/store/ledger/postgres-address.ts';

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
  ['postgres://ann:hush@db.example/l', 'holds a password'],
  ['postgres://ann@db.example/l?password=hush', 'holds a password'],
  ['mysql://db.example/hush', 'is no address of a PostgreSQL database'],
  ['hush', 'is no address of a PostgreSQL database'],
  ['postgres://ann@/hush', 'is no address of a PostgreSQL database'],
  ['postgres://db.example', 'names no database'],
  ['postgres://db.example/a/hush', 'names no database'],
  ['postgres:///l?port=99999', 'has an invalid port'],
  ['postgres:///l?target=any', "has an unknown parameter 'target'"],
  ['postgres:///l?sslmode=prefer', "has an unknown sslmode 'prefer'"],
])('%s is refused: %s; and what may be a password is not repeated', (text, why) => {
  const parse = () => parsePostgresUrl(text, 'mall');
  expect(parse).toThrow(why);
  expect(parse).not.toThrow('hush');
});

test('every shop has a schema of its own, whose name PostgreSQL takes as it is', () => {
  expect(schemaOfShop('mall_2')).toBe('reviewctl_mall_2');
  const odd = ['Mall', 'mall ', '상점', 'a-b', 'a_b', 'x'.repeat(200), '"; DROP SCHEMA', ''];
  const schemas = odd.map(schemaOfShop);
  expect(new Set(schemas).size).toBe(odd.length);
  for (const schema of schemas) expect(schema).toMatch(/^reviewctl_[a-z0-9_]{1,53}$/);
});

test('a password goes to the server it was given for, and to no other', () => {
  const location = postgresLedgerLocation('/state', '/state/p', {
    url: 'postgres://a@one.example/l',
    password: 'hush',
    shop: 's',
  });
  const marked = (path: string) =>
    markedLocation(
      {
        path,
        shop: 's',
        ledgerId: 'L',
        origin: 'o',
        accounts: [],
        inode: null,
        seq: 0,
        seal: '',
        movedAtMs: 0,
        isRetired: false,
      },
      location,
    );
  expect(marked('postgres://a@one.example/other?schema=x')).toMatchObject({
    kind: 'postgres',
    password: 'hush',
  });
  expect(marked('postgres://a@two.example/l?schema=x')).toMatchObject({
    kind: 'postgres',
    password: undefined,
  });
  expect(marked('/state/p/ledger.db')).toMatchObject({ kind: 'sqlite', path: '/state/p/ledger.db' });
});
