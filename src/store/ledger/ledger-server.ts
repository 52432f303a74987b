import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { checkServer } from '../sql/check-server.ts';
import type { Connection } from '../sql/connection.ts';
import { databaseFailure } from '../sql/database-failure.ts';
import { openPostgres } from '../sql/postgres.ts';
import type { Sql, Transaction } from '../sql/sql.ts';
import { recordInUse } from './in-use.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import { otherFormat } from './ledger-failure.ts';
import type { PostgresLedgerLocation } from './ledger-location.ts';
import { writeMeta } from './ledger-meta.ts';
import { ledgerFormat, tablesSql } from './ledger-tables.ts';
import { type LedgerHome, openLedgerIn } from './open-ledger.ts';
import { type Server, serverOf } from './server-place.ts';

/** Checks a session of a ledger before its first use; throws to refuse it. */
export type AcceptSession = (session: Connection) => Promise<void>;

/**
 * Opens a schema that has a ledger or may get one. `accept` checks every session.
 * @throws Failure as `openPostgres`.
 */
export function openLedgerServer(location: PostgresLedgerLocation, accept: AcceptSession): Promise<Sql> {
  return openPostgres(location, { durability: 'power', accept });
}

/**
 * Accepts the sessions of one server that durably writes what it reports as written. With several servers behind one
 * address, reads and writes could reach two ledgers.
 */
export function soundServer(location: PostgresLedgerLocation, clock: Clock): AcceptSession {
  let first: Server | undefined;
  return async (session) => {
    await checkServer(session, location, clock);
    const server = await serverOf(session);
    first ??= server;
    if (!isDeepStrictEqual(server, first)) throw twoServers(location.path);
  };
}

/** Accepts every session; for reading only. */
export const anyServer: AcceptSession = async () => undefined;

function twoServers(path: string): Failure {
  return new Failure(
    'config',
    `two sessions of the ledger ${path} have reached two servers, or one that was replaced meanwhile`,
    'name the primary server itself in the setting state; if a replica took over, run the same command again',
  );
}

/** True if this schema has a ledger. A schema of other software counts as none. */
export async function hasLedger(sql: Pick<Sql, 'tables'>): Promise<boolean> {
  return (await sql.tables()).includes('meta');
}

/** Creates the tables of a ledger within a transaction. The schema must have none. */
export async function makeLedgerTables(sql: Sql, tx: Transaction, meta: LedgerMeta): Promise<void> {
  await tx.exec(tablesSql(sql.dialect));
  await tx.many("INSERT INTO meta VALUES ('format', $1)", [[`${ledgerFormat}`]]);
  await writeMeta(tx, meta);
}

/** @throws Failure('ledger') if the ledger has another format. */
async function checkFormat({ read }: Sql, path: string): Promise<void> {
  const [row] = await read<{ readonly value: string }>("SELECT value FROM meta WHERE name = 'format'");
  const found = Number(row?.value ?? 0);
  if (found !== ledgerFormat) throw otherFormat(path, found, ledgerFormat);
}

function serverHome(location: PostgresLedgerLocation): LedgerHome {
  const { schema } = location.address;
  return {
    failureOf: (error) => databaseFailure(location, error),
    onAccount: (tx, meta) => recordInUse(tx, schema, meta),
  };
}

interface PostgresLedgerOptions {
  readonly clock: Clock;
  readonly acceptSession?: AcceptSession;
  /** Checks the schema before the ledger is read; throws to refuse it. */
  readonly accept?: (sql: Sql) => Promise<void>;
}

/**
 * Opens the ledger in an existing schema. A store of ledgers also checks that it is the right one, and fences its
 * claims.
 * @throws Failure('ledger') if there is none, or it is damaged; as `openPostgres`.
 */
export async function openPostgresLedger(
  location: PostgresLedgerLocation,
  { clock, acceptSession = soundServer(location, clock), accept }: PostgresLedgerOptions,
): Promise<Ledger> {
  const sql = await openLedgerServer(location, acceptSession);
  try {
    await accept?.(sql);
    if (!(await hasLedger(sql))) throw noLedger(location.path);
    await checkFormat(sql, location.path);
    return await openLedgerIn(sql, serverHome(location), clock);
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** The failure for a missing ledger. */
function noLedger(path: string): Failure {
  return new Failure(
    'ledger',
    `there is no ledger at ${path}`,
    hint`create one with ${reviewctl`ledger init`}; the schema is named after the shop, so check the setting shop and
      --profile`,
  );
}
