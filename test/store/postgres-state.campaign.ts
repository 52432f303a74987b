import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { accountNote, openPushJournal, stateLocks } from '../../src/store/open-store.ts';
import { prepareState } from '../../src/store/prepare-state.ts';
import { postgresStateLocation } from '../../src/store/state/postgres-state-location.ts';
import type { PostgresStateLocation } from '../../src/store/state/state-location.ts';
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

await withPostgres('the suite of states', promiseState);
