import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isDuplicate } from '../sql/database-failure.ts';
import type { Sql, SqlReader } from '../sql/sql.ts';
import { openHighWaterMarks, readHighWaterMarks } from './high-water-marks.ts';
import { checkNoneHere, missedInUse, recordInUse } from './in-use.ts';
import { acceptLedger, moveLedger } from './install-ledger.ts';
import { judgeLedger, type LedgerGround, requireInUse } from './judge-ledger.ts';
import type { Ledger } from './ledger.ts';
import type { PlaceUsed } from './ledger-custody.ts';
import type { PostgresLedgerLocation } from './ledger-location.ts';
import { newMeta, readMeta } from './ledger-meta.ts';
import {
  type AcceptSession,
  anyServer,
  hasLedger,
  makeLedgerTables,
  openLedgerServer,
  openPostgresLedger,
  soundServer,
} from './ledger-server.ts';
import type { ExpectedLedger, LedgerStart, LedgerStore, OpenedLedger } from './ledger-store.ts';
import { checkNoneInUse, missedLedger } from './missing-ledger.ts';
import { serverPlace } from './server-place.ts';

/** @throws Failure('locked') while a state is being moved to the schema that is read. */
type CheckFree = (reader: SqlReader) => Promise<void>;

/** A ledger in a schema of PostgreSQL, for several machines. */
export function postgresLedgerStore(location: PostgresLedgerLocation, checkFree: CheckFree): LedgerStore {
  const { path, address, marksPath } = location;
  const { schema } = address;
  const groundOf = (place: PlaceUsed, clock: Clock): LedgerGround => ({
    path,
    place,
    markInode: null,
    openMarks: () => openHighWaterMarks(marksPath),
    clock,
  });
  /** Makes the ledger at this server the one in use, also for its accounts here. */
  const install = async (clock: Clock, work: (ground: LedgerGround) => Promise<void>) =>
    withServer(location, soundServer(location, clock), async (sql) => {
      await work(groundOf(await placeOfWriter(sql, schema), clock));
      await sql.write(async (tx) => recordInUse(tx, schema, await readMeta(tx)));
    });
  const openAny = async (expected: ExpectedLedger): Promise<OpenedLedger> => {
    let place: PlaceUsed | undefined;
    const ledger = await openPostgresLedger(location, {
      clock: expected.clock,
      accept: async (sql) => {
        await checkFree(readerOf(sql));
        await checkThere(sql, location, expected);
        place = await placeOfWriter(sql, schema);
      },
    });
    if (place === undefined) throw new Error('the server was not looked at');
    return judgeLedger(ledger, groundOf(place, expected.clock), expected);
  };
  return {
    exists: () =>
      withServer(location, anyServer, async (sql) => {
        await checkFree(readerOf(sql));
        return hasLedger(sql);
      }),
    openAny,
    open: async (expected) => requireInUse(await openAny(expected)),
    openUnjudged: ({ clock, isOnlyRead = false }) =>
      openPostgresLedger(location, { clock, ...(isOnlyRead ? { acceptSession: anyServer } : {}) }),
    create: (start) => createLedger(location, checkFree, start),
    backup: async (file) => {
      const dump = `pg_dump -n ${shellWord(schema)} -Fc -f ${shellWord(file)}`;
      throw new Failure(
        'usage',
        `a ledger in PostgreSQL is copied by the tools of its server; ${file} was not written`,
        `${dump} …, or the backups of the server; one that is restored pays nothing until it is accepted`,
      );
    },
    accept: (ledger: Ledger, { clock }) => install(clock, (ground) => acceptLedger(ledger, ground)),
    move: (ledger: Ledger, { clock }) => install(clock, (ground) => moveLedger(ledger, ground)),
    marks: () => readHighWaterMarks(marksPath),
    checkNoneInUse: (subject) => checkNoneInUse(path, marksPath, subject),
  };
}

function readerOf({ read }: Sql): SqlReader {
  return { query: read };
}

/** Of the session that writes: it decides where a ledger is used. */
function placeOfWriter(sql: Sql, schema: string): Promise<PlaceUsed> {
  return sql.write((tx) => serverPlace(tx, schema));
}

async function withServer<T>(
  location: PostgresLedgerLocation,
  accept: AcceptSession,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const sql = await openLedgerServer(location, accept);
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

/** @throws Failure('ledger') if there is no ledger: by what this machine, else the database, knows of one. */
async function checkThere(
  sql: Sql,
  location: PostgresLedgerLocation,
  { origin, account }: Pick<ExpectedLedger, 'origin' | 'account'>,
): Promise<void> {
  if (await hasLedger(sql)) return;
  const { path, marksPath } = location;
  const missed =
    (await missedLedger(path, { marksPath, origin, account })) ??
    (await missedInUse(readerOf(sql), location, account));
  if (missed !== undefined) throw missed;
}

/** As `LedgerStore.create`. */
async function createLedger(
  location: PostgresLedgerLocation,
  checkFree: CheckFree,
  start: LedgerStart,
): Promise<void> {
  const { path, marksPath } = location;
  const { schema } = location.address;
  const { origin, shop, account, isReplacement = false, clock } = start;
  const accounts = account === undefined ? [] : [account];
  if (!isReplacement) await checkNoneInUse(path, marksPath, { origin, accounts });
  const identity = { ledgerId: randomUUID(), origin, shop, createdAtMs: clock.now() };
  // First, so that no ledger is created whose mark cannot be kept.
  const marks = await openHighWaterMarks(marksPath);
  try {
    await withServer(location, soundServer(location, clock), (sql) =>
      // Who announces the move of a state to this schema is waited for, or waits for this.
      sql.make(async (tx) => {
        await checkFree(tx);
        if (!isReplacement) await checkNoneHere(tx, location, account);
        const meta = newMeta(identity, start, null);
        await makeLedgerTables(sql, tx, meta);
        await recordInUse(tx, schema, meta);
      }),
    );
    const position = { seq: 0, seal: '', epoch: 0, path, inode: null, movedAtMs: clock.now() };
    marks.install({ ...identity, ...position, accounts, isRetired: false });
  } catch (error) {
    throw isDuplicate(error) ? isThere(path) : error;
  } finally {
    marks.close();
  }
}

function isThere(path: string): Failure {
  return new Failure(
    'ledger',
    `${path} exists already; nothing was changed`,
    hint`inspect it with \`${reviewctl`ledger status -c state=${path}`}\`, or name another shop with the setting shop`,
  );
}
