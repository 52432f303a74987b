import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { LedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import type { LedgerStore } from '../../src/store/ledger/ledger-store.ts';
import { ledgerFormat } from '../../src/store/ledger/ledger-tables.ts';
import { openLedgerStore } from '../../src/store/open-store.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity } from '../settle/entries.ts';
import { claimIn, seeIn } from './ledger-steps.ts';
import { wrongIn } from './ledger-suite.ts';
import { stillClock } from './open-ledger-place.ts';
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts';
import { freshLocation, locationOf } from './postgres-place.ts';
import { makePostgres, type PostgresServer } from './postgres-server.ts';
import { startRouter } from './session-router.ts';
import { withPostgres } from './with-postgres.ts';

const start = { ...identity, clock: systemClock };
const expected = { origin: identity.origin, clock: systemClock };

const refused = (message: string) => ({
  kind: 'config',
  exitCode: 2,
  message: expect.stringContaining(message),
});

/** Runs `work` with the ledger at a location, opened to pay from it. */
async function withLedger<T>(location: LedgerLocation, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await (await openLedgerStore(location)).open(expected);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

const look = (location: LedgerLocation) => withLedger(location, async () => undefined);

/** Declares the ledger to be in use, and unfreezes it. */
async function accept(location: LedgerLocation): Promise<void> {
  const store = await openLedgerStore(location);
  const { ledger } = await store.openAny(expected);
  await store.accept(ledger, { clock: systemClock });
  expect((await ledger.meta()).frozen).toMatch(/^accepted as the ledger in use/);
  await ledger.unfreeze();
  await ledger.close();
}

async function createAt(location: LedgerLocation): Promise<LedgerStore> {
  const store = await openLedgerStore(location);
  await store.create(start);
  return store;
}

function promiseUse(server: PostgresServer): void {
  test('is made once, completely or not at all, and paid from by two machines', async () => {
    const location = freshLocation(server);
    const store = await openLedgerStore(location);
    expect(await store.exists()).toBe(false);
    await expect(store.open(expected)).rejects.toMatchObject({ kind: 'ledger', exitCode: 12 });
    const ofAccount = { ...start, account: 'of two machines' };
    await store.create(ofAccount);
    expect(await store.exists()).toBe(true);
    const another = locationOf(server, location.address.schema);
    await expect((await openLedgerStore(another)).create(ofAccount)).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('exists already; nothing was changed'),
    });
    for (const machine of [location, another]) {
      await withLedger(machine, async (ledger) => {
        const rewardId = `of ${machine.marksPath}`;
        await seeIn(ledger, rewardId, { atMs: Date.now() });
        expect(await claimIn(ledger, rewardId)).toMatchObject({ kind: 'changed' });
        await ledger.fence();
        expect(await wrongIn(ledger)).toEqual([]);
      });
    }
    expect(await (await openLedgerStore(another)).marks()).toMatchObject([{ seq: 4, path: location.path }]);
  });

  test('an account that has a ledger there gets no second one in a file, and none elsewhere', async () => {
    const root = temporaryFolder();
    const location = freshLocation(server, root);
    const store = await openLedgerStore(location);
    await store.create({ ...start, account: 'A' });
    const other = await openLedgerStore(freshLocation(server, root));
    await expect(other.checkNoneInUse({ origin: identity.origin, accounts: ['A'] })).rejects.toMatchObject({
      kind: 'ledger',
      hint: expect.stringContaining(`use that one with -c 'state=${location.path}'`),
    });
    await expect(other.create({ ...start, account: 'A' })).rejects.toMatchObject({ kind: 'ledger' });
  });

  test('of machines that make a ledger for one account at once, one does', async () => {
    for (const account of ['B', 'C', 'D', 'E']) {
      const made = await Promise.allSettled(
        [1, 2, 3].map(async () =>
          (await openLedgerStore(freshLocation(server))).create({ ...start, account }),
        ),
      );
      const failures = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(failures).toHaveLength(2);
      for (const failure of failures)
        expect(failure).toMatchObject({
          kind: 'ledger',
          message: expect.stringContaining('no ledger was created'),
        });
    }
  });

  test('a copy of the database is refused, and pays only after a person has accepted it', async () => {
    await server.ask('CREATE DATABASE original');
    const { schema } = freshLocation(server).address;
    const at = (database: string, root: string) => {
      const location = locationOf(server, schema, root);
      return {
        ...location,
        path: location.path.replace('/postgres?', `/${database}?`),
        address: { ...location.address, database },
      };
    };
    await createAt(at('original', temporaryFolder()));
    await look(at('original', temporaryFolder()));
    await server.ask('CREATE DATABASE copy TEMPLATE original');
    const copy = at('copy', temporaryFolder());
    await expect(look(copy)).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('was last used on another server or timeline'),
      hint: expect.stringContaining(`reviewctl ledger accept -c 'state=${copy.path}'`),
    });
    await accept(copy);
    await look(copy);
    await look(at('original', temporaryFolder()));
  });
}

function promiseIntegrity(server: PostgresServer): void {
  test('what is written past the program is refused: events stay, and a changed row is found', async () => {
    const location = freshLocation(server);
    await createAt(location);
    const { schema } = location.address;
    await withLedger(location, async (ledger) => {
      await seeIn(ledger, 'R1');
      for (const sql of ['DELETE FROM', 'TRUNCATE']) {
        await expect(server.ask(`${sql} ${schema}.event`)).rejects.toThrow('never changed or deleted');
      }
      await server.ask(`UPDATE ${schema}.reward SET seen_amount = seen_amount + 1`);
      expect(await wrongIn(ledger)).toEqual(['reward R1: it was changed after it was written']);
      await expect(claimIn(ledger, 'R1')).rejects.toMatchObject({
        kind: 'ledger',
        message: expect.stringContaining('its reward R1 was changed after it was written'),
      });
    });
  });

  test.each([2, 99])('a ledger of format %i is refused, and left as it is', async (format) => {
    const location = freshLocation(server);
    await createAt(location);
    await server.ask(`UPDATE ${location.address.schema}.meta SET value = '${format}' WHERE name = 'format'`);
    await expect(look(location)).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining(
        `has format ${format}; this version reads only format ${ledgerFormat}`,
      ),
    });
  });
}

function promiseRefusals(server: PostgresServer): void {
  test('a server clock that is more than 2 s off is refused, with how far', async () => {
    const location = freshLocation(server);
    await createAt(location);
    const store = await openLedgerStore(location);
    await expect(store.open({ ...expected, clock: stillClock })).rejects.toMatchObject(refused('ahead of'));
    const late = { ...systemClock, now: () => Date.now() + 3_000 };
    await expect(store.open({ ...expected, clock: late })).rejects.toMatchObject(
      refused("has a clock that is 3.0 s behind this machine's"),
    );
    const little = { ...systemClock, now: () => Date.now() + 1_000 };
    await (await store.open({ ...expected, clock: little })).close();
  });

  test('a user for whom commits do not wait for the disk is refused', async () => {
    await server.ask('CREATE ROLE hasty LOGIN SUPERUSER');
    await server.ask('ALTER ROLE hasty SET synchronous_commit = off');
    const { schema } = freshLocation(server).address;
    const location = locationOf(server, schema);
    const hasty = { ...location, address: { ...location.address, user: 'hasty' } };
    await expect(createAt(hasty)).rejects.toMatchObject(refused('runs with synchronous_commit=off'));
    await createAt(location);
    await expect(look(hasty)).rejects.toMatchObject(refused('synchronous_commit=off'));
  });
}

function promiseAccess(server: PostgresServer): void {
  test('a user without rights, an unknown one and a missing database are told apart', async () => {
    await server.ask('CREATE ROLE guest LOGIN');
    const location = freshLocation(server);
    const as = (address: Partial<typeof location.address>) => ({
      ...location,
      address: { ...location.address, ...address },
    });
    const unusable = [
      ['not-allowed', 4, { user: 'guest' }],
      ['not-authenticated', 4, { user: 'nobody' }],
      ['config', 2, { database: 'none' }],
      ['unreachable-state', 5, { host: '/nowhere' }],
    ] as const;
    for (const [kind, exitCode, address] of unusable)
      await expect(createAt(as(address))).rejects.toMatchObject({ kind, exitCode });
    await createAt(location);
    await expect(look(as({ user: 'guest' }))).rejects.toMatchObject({ kind: 'not-allowed', exitCode: 4 });
  });

  test('a password is asked for where the server wants one', async () => {
    await server.ask("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'hush'");
    writeFileSync(join(server.data, 'pg_hba.conf'), 'local all guarded scram-sha-256\nlocal all all trust\n');
    await server.ask('SELECT pg_reload_conf()');
    const location = freshLocation(server);
    const guarded = { ...location, address: { ...location.address, user: 'guarded' } };
    for (const password of [undefined, 'wrong']) {
      await expect(createAt({ ...guarded, password })).rejects.toMatchObject({ kind: 'not-authenticated' });
    }
    await createAt({ ...guarded, password: 'hush' });
  });
}

function promisePoolers(server: PostgresServer): void {
  if (!hasPgbouncer)
    console.log('PgBouncer is not installed, so no pooler stood between program and server.');
  const poolers = hasPgbouncer ? ['server_round_robin = 0', 'server_round_robin = 1'] : [];
  for (const order of poolers) {
    test(`a pooler of transactions or statements is found out, with ${order}`, async () => {
      const location = freshLocation(server);
      await createAt(location);
      const behind = async (mode: string) => {
        const host = await startPgbouncer(server, [`pool_mode = ${mode}`, order, 'listen_port = 6543']);
        return { ...location, address: { ...location.address, host, port: 6543 } };
      };
      for (const mode of ['transaction', 'statement']) {
        await expect(look(await behind(mode))).rejects.toMatchObject(
          refused('is behind a pooler that shares sessions between transactions'),
        );
      }
      await look(await behind('session'));
    });
  }
}

async function makeServer(program: string, settings: readonly string[] = []): Promise<PostgresServer> {
  const server = await makePostgres(program, settings);
  onTestFinished(() => server.remove());
  return server;
}

function promiseDisasters(program: string): void {
  test('whichever session reaches another server, or a copy of it that may lose what it writes, it is refused', async () => {
    const server = await makeServer(program);
    const location = freshLocation(server);
    await createAt(location);
    await look(location);
    await server.stop();
    const copyWith = async (settings: readonly string[]) => {
      const copy = await makeServer(program, settings);
      await copy.stop();
      rmSync(copy.data, { recursive: true });
      execFileSync('cp', ['-a', server.data, copy.data]);
      await copy.start();
      return copy;
    };
    const [sound, hasty] = [await copyWith([]), await copyWith(['fsync=off'])];
    await server.start();
    const verifyWhere = async (copy: PostgresServer, astray: number) => {
      const router = await startRouter((session) => (session === astray ? copy : server).folder);
      const routed = { ...location, address: { ...location.address, host: router.folder } };
      expect(await withLedger(routed, wrongIn)).toEqual([]);
      return router.sessions();
    };
    for (const astray of [1, 2, 3]) {
      await expect(verifyWhere(sound, astray)).rejects.toMatchObject(refused('have reached two servers'));
      await expect(verifyWhere(hasty, astray)).rejects.toMatchObject(refused('runs with fsync=off'));
    }
    expect(await verifyWhere(server, 0)).toBe(3);
  });

  test('as a replica, it is refused; when it took over, nothing is paid before a person has accepted it', async () => {
    const server = await makeServer(program);
    const location = freshLocation(server);
    await createAt(location);
    await look(location);
    await server.stop();
    writeFileSync(join(server.data, 'standby.signal'), '');
    await server.start();
    await expect(look(location)).rejects.toMatchObject(refused('is a read-only replica'));
    await server.ask('SELECT pg_promote()');
    const words = 'was last used on another server or timeline: it was restored, or a replica took over';
    await expect(look(location)).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining(words),
    });
    await accept(location);
    await look(location);
    await look(locationOf(server, location.address.schema));
  });

  test('put back to an earlier day, it is refused on the machine that knows better', async () => {
    const server = await makeServer(program);
    const location = freshLocation(server);
    await createAt(location);
    await server.stop();
    const kept = `${server.data}.kept`;
    execFileSync('cp', ['-a', server.data, kept]);
    await server.start();
    await withLedger(location, async (ledger) => {
      await seeIn(ledger, 'R1', { atMs: Date.now() });
      await claimIn(ledger, 'R1');
      await ledger.fence();
    });
    await server.stop();
    rmSync(server.data, { recursive: true });
    execFileSync('mv', [kept, server.data]);
    await server.start();
    await expect(look(location)).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('is out of date: it ends at event 0, but event 2 was recorded'),
    });
  });
}

await withPostgres('the refusals of ledgers', (server, bin) => {
  promiseUse(server);
  promiseIntegrity(server);
  promiseRefusals(server);
  promiseAccess(server);
  promisePoolers(server);
  promiseDisasters(bin);
});
