import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { locationAt, postgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { moveState, type StateMove } from '../../src/store/move-state.ts';
import { accountNote, listCheckpoints, openPushJournal, stateLocks } from '../../src/store/open-store.ts';
import { prepareState } from '../../src/store/prepare-state.ts';
import type { PushRunStart } from '../../src/store/runs/run-log.ts';
import { readMoved, writeMoved } from '../../src/store/state/moved-state.ts';
import {
  type PostgresStateLocation,
  postgresStateLocation,
  type StateLocation,
  stateLocation,
} from '../../src/store/state/state-location.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { locksSuite } from './locks-suite.ts';
import { makePostgresLedger } from './postgres-place.ts';
import type { PostgresServer } from './postgres-server.ts';
import { stateNotesSuite } from './state-notes-suite.ts';
import { withPostgres } from './with-postgres.ts';

const service = new URL('https://api.example/admin/v2/');
let made = 0;

function promiseState(server: PostgresServer): void {
  const locationOf = (shop: string, parameters = ''): PostgresStateLocation =>
    postgresStateLocation(join(temporaryFolder(), 'own'), {
      url: server.url(parameters),
      password: undefined,
      shop,
      service,
    });
  const fresh = () => {
    made += 1;
    return locationOf(`shop${made}`);
  };
  const prepared = async (location = fresh()) => {
    await prepareState(location, { clock: systemClock, isReadOnly: false });
    return location;
  };

  stateNotesSuite(() => prepared());
  locksSuite(() => stateLocks(fresh()));

  test('two shops in one schema have states and locks of their own', async () => {
    const [one, other] = [
      await prepared(locationOf('one', '&schema=both')),
      locationOf('other', '&schema=both'),
    ];
    await prepared(other);
    await accountNote(one).keep('account of one');
    expect(await accountNote(other).read()).toBeUndefined();
    const lock = await stateLocks(one).acquire('push-orders', 'orders push');
    expect(await stateLocks(other).isHeld('push-orders')).toBe(false);
    expect(await stateLocks(other).names()).toEqual([]);
    await lock.release();
  });

  test('a ledger and a state share a schema, whichever is made first', async () => {
    const ledger = await makePostgresLedger(server);
    const beside = await prepared(locationOf('beside', `&schema=${ledger.address.schema}`));
    const journal = await openPushJournal(beside);
    expect(await journal.runs.list()).toEqual([]);
    await journal.close();
  });

  test('looking at a state makes nothing', async () => {
    const location = fresh();
    await prepareState(location, { clock: systemClock, isReadOnly: true });
    expect(
      await server.ask(`SELECT count(*)::int FROM pg_namespace WHERE nspname = '${location.address.schema}'`),
    ).toEqual([0]);
    expect(await accountNote(location).read()).toBeUndefined();
    // Beside a ledger in the same schema, a state may stay unprepared for long.
    expect(await listCheckpoints(location)).toEqual([]);
  });

  test('two processes that prepare one state at once both succeed', async () => {
    const location = fresh();
    await Promise.all([prepared(location), prepared(location), prepared(location)]);
  });

  test('a user who may not make the schema learns what to grant', async () => {
    await server.ask('CREATE USER guest');
    const location = locationOf('guest', '&user=guest');
    await expect(prepared(location)).rejects.toMatchObject({
      kind: 'not-allowed',
      message: expect.stringMatching(
        /^the state postgres:\S+ may not be used by this user: permission denied/,
      ),
      hint: expect.stringContaining('GRANT CREATE ON DATABASE'),
    });
  });

  test('a state of a later version is refused, and not changed', async () => {
    const location = await prepared();
    await server.ask(`UPDATE ${location.address.schema}.state_format SET format = 99`);
    await expect(prepared(location)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('has format 99; this version reads only format 2'),
    });
  });
}

const start: PushRunStart = {
  kind: 'orders',
  command: ['orders', 'push', 'a.csv'],
  folder: '/exports',
  files: ['a.csv'],
  startedMs: 1,
};

/** A folder with one recorded run, and the move of its state to a shop of the server. */
async function openMove(server: PostgresServer, shop: string): Promise<StateMove> {
  const folder = temporaryFolder();
  const database = { url: server.url(), password: undefined, shop };
  const journal = await openPushJournal(stateLocation(folder));
  await journal.runs.begin(start);
  await journal.close();
  return {
    from: stateLocation(folder),
    to: postgresStateLocation(folder, { ...database, service }),
    ledger: {
      from: locationAt(join(folder, 'ledger.db'), join(folder, 'marks.db')),
      to: postgresLedgerLocation(folder, folder, database),
      clock: systemClock,
    },
  };
}

async function runsOf(location: StateLocation): Promise<number> {
  const journal = await openPushJournal(location);
  const runs = await journal.runs.list();
  await journal.close();
  return runs.length;
}

function promiseMove(server: PostgresServer): void {
  test('of two moves at once, one moves the state, and the other finds that it has arrived or is refused', async () => {
    const move = await openMove(server, 'at_once');
    const ends = await Promise.allSettled([moveState(move), moveState(move)]);
    const moved = ends.filter(({ status }) => status === 'fulfilled');
    expect(moved.length).toBeGreaterThan(0);
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'locked' });
    expect(readMoved(move.from.folder)).toMatchObject({ isFinished: true });
    expect(await runsOf(move.to)).toBe(1);
    expect(await moveState(move)).toBeUndefined();
  });

  test('a move whose commit has arrived unseen is ended; one that has not is made again', async () => {
    const move = await openMove(server, 'unseen');
    await moveState(move);
    const moved = readMoved(move.from.folder);
    if (moved === undefined) throw new Error('it was not moved');
    writeMoved(move.from.folder, { ...moved, isFinished: false });
    const options = { clock: systemClock, isReadOnly: false };
    for (const location of [move.from, move.to])
      await expect(prepareState(location, options)).rejects.toMatchObject({
        message: expect.stringMatching(/ was interrupted, and may have arrived$/),
      });
    expect(await moveState(move)).toBeUndefined();
    await prepareState(move.to, options);
    const other = await openMove(server, 'never_arrived');
    writeMoved(other.from.folder, { ...moved, to: other.to.path, shop: other.to.shop, isFinished: false });
    expect(await moveState(other)).toMatchObject({ runs: 1 });
  });

  test('a state that another machine has begun stays as it is, and so does the folder', async () => {
    const move = await openMove(server, 'begun');
    const begun = await openMove(server, 'begun');
    await prepareState({ ...begun.to, folder: temporaryFolder() }, { clock: systemClock, isReadOnly: false });
    const journal = await openPushJournal(begun.to);
    await journal.runs.begin(start);
    await journal.close();
    await expect(moveState(move)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(
        /is already in use, and two states cannot be merged; nothing was moved$/,
      ),
    });
    expect(readMoved(move.from.folder)).toBeUndefined();
    expect(await runsOf(move.from)).toBe(1);
    expect(await runsOf(move.to)).toBe(1);
  });
}

await withPostgres('the suite of states', (server) => {
  promiseState(server);
  promiseMove(server);
});
