import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isDuplicate } from '../sql/database-failure.ts';
import type { Sql, SqlReader } from '../sql/sql.ts';
import { createLedgerStore } from './create-ledger-store.ts';
import { checkNoneHere, missedInUse, recordInUse } from './in-use.ts';
import type { LedgerMeta } from './ledger.ts';
import type { LastPlace } from './ledger-custody.ts';
import type { PostgresLedgerLocation } from './ledger-location.ts';
import { readMeta } from './ledger-meta.ts';
import {
  type AcceptSession,
  anyServer,
  hasLedger,
  makeLedgerTables,
  openLedgerServer,
  openPostgresLedger,
  soundServer,
} from './ledger-server.ts';
import type { ExpectedLedger, LedgerStart, LedgerStore } from './ledger-store.ts';
import { missedLedger } from './missing-ledger.ts';
import { serverPlace } from './server-place.ts';

/** @throws Failure('locked') while a state is being moved to this schema. */
type CheckFree = (reader: SqlReader) => Promise<void>;

/** A ledger in a schema of PostgreSQL, for several machines. */
export function postgresLedgerStore(location: PostgresLedgerLocation, checkFree: CheckFree): LedgerStore {
  const { schema } = location.address;
  return createLedgerStore(location, {
    exists: () =>
      withServer(location, anyServer, async (sql) => {
        await checkFree(readerOf(sql));
        return hasLedger(sql);
      }),
    openThere: async (expected) => {
      let place: LastPlace | undefined;
      const ledger = await openPostgresLedger(location, {
        clock: expected.clock,
        accept: async (sql) => {
          await checkFree(readerOf(sql));
          await checkThere(sql, location, expected);
          place = await placeOfWriter(sql, schema);
        },
      });
      if (place === undefined) throw new Error('the server was not looked at');
      return { ledger, place };
    },
    openUnjudged: ({ clock, isOnlyRead = false }) =>
      openPostgresLedger(location, { clock, ...(isOnlyRead ? { acceptSession: anyServer } : {}) }),
    make: (meta, start) => makeSchema(location, checkFree, { meta, start }),
    backup: async (file) => {
      const dump = `pg_dump -n ${shellWord(schema)} -Fc -f ${shellWord(file)}`;
      throw new Failure(
        'usage',
        `a ledger in PostgreSQL is copied by the tools of its server; ${file} was not written`,
        `${dump} …, or the backups of the server; one that is restored pays nothing until it is accepted`,
      );
    },
    // Also records it as the ledger of its accounts in this database.
    install: (clock, work) =>
      withServer(location, soundServer(location, clock), async (sql) => {
        await work(await placeOfWriter(sql, schema));
        await sql.write(async (tx) => recordInUse(tx, schema, await readMeta(tx)));
      }),
  });
}

function readerOf({ read }: Sql): SqlReader {
  return { query: read };
}

/** Reads the place from the session that writes, which decides where a ledger is used. */
function placeOfWriter(sql: Sql, schema: string): Promise<LastPlace> {
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

/** @throws Failure('ledger') if there is no ledger. The message uses the marks of this machine, else the database. */
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

async function makeSchema(
  location: PostgresLedgerLocation,
  checkFree: CheckFree,
  { meta, start }: { readonly meta: LedgerMeta; readonly start: LedgerStart },
): Promise<null> {
  const { path, address } = location;
  const { account, isReplacement = false, clock } = start;
  try {
    await withServer(location, soundServer(location, clock), (sql) =>
      // Serialized with a move of a state to this schema: one waits for the other.
      sql.make(async (tx) => {
        await checkFree(tx);
        // First, because the account has a ledger if another process has just made this one.
        await makeLedgerTables(sql, tx, meta);
        if (!isReplacement) await checkNoneHere(tx, location, account);
        await recordInUse(tx, address.schema, meta);
      }),
    );
    return null;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Failure(
      'ledger',
      `${path} exists already; nothing was changed`,
      hint`inspect it with \`${reviewctl`ledger status -c state=${path}`}\`, or name another shop with the setting
        shop`,
    );
  }
}
