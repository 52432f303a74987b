import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { twoLedgers } from '../ledger/ledger-copy.ts';
import type { Connection } from '../sql/connection.ts';
import { withConnection } from '../sql/connection.ts';
import type { PostgresPlace } from '../sql/postgres-address.ts';
import type { SqlReader } from '../sql/sql.ts';
import type { PostgresStateLocation } from '../state/state-location.ts';
import { hasLedger, inTransaction, makeSchema, quoted } from './ledger-schema.ts';
import { findIncoming, findState, makeState, type StateRow } from './state-schema.ts';

/** A move to a database that has not ended. */
export interface Incoming {
  readonly move: string;
  /** The folder that the state is in, and the name of its machine. */
  readonly folder: string;
  readonly host: string;
  /** Why the ledger of the state was frozen before, if it was. */
  readonly ledgerFrozen?: string | null;
}

/** The text of a checkpoint, by its list and name. */
export interface CopiedCheckpoint {
  readonly list: string;
  readonly name: string;
  readonly text: string;
}

/**
 * Checks that no state is being moved to this schema: until that has ended, nobody but the mover uses what is in it.
 * @throws Failure('locked') with where it is moved from.
 */
export async function checkNotIncoming(
  connection: SqlReader,
  { path, address }: Pick<PostgresPlace, 'path' | 'address'>,
): Promise<void> {
  const incoming = await findIncoming(connection, address.schema);
  if (incoming !== undefined) throw underWay(path, incoming);
}

/** The failure for what is used while a state is being moved there. */
export function underWay(path: string, incoming: string): Failure {
  const { folder, host } = parseIncoming(incoming);
  return new Failure(
    'locked',
    `the state of ${path} is being moved there from ${folder} on ${host}`,
    hint`wait until that has ended, then run the same command again; if it was interrupted, continue it on that
      machine: ${reviewctl`state move`}`,
  );
}

function parseIncoming(text: string): Incoming {
  return JSON.parse(text) as Incoming;
}

/**
 * Announces the move of a state to a database, with its ledger if it has one: from now on nobody else uses them. One
 * that was announced from the same folder continues; what is known of it is returned.
 * @throws Failure('usage') where the database has a state already; Failure('ledger') where both have a ledger;
 *   Failure('locked') where one is moved from elsewhere.
 */
export function announceMove(
  location: PostgresStateLocation,
  incoming: Incoming,
  { hasLedger: bringsLedger }: { readonly hasLedger: boolean },
): Promise<Incoming> {
  const { schema } = location.address;
  return withConnection(location, async (connection) => {
    await makeState(connection, location);
    return inTransaction(connection, async () => {
      // Who makes a ledger here meanwhile is waited for, or waits for this.
      await makeSchema(connection, schema);
      const row = await lockState(connection, location);
      if (row.incoming !== null) return continued(location.path, parseIncoming(row.incoming), incoming);
      if (await isInUse(connection, location, row)) throw inUse(location, incoming.folder);
      if (bringsLedger && (await hasLedger(connection, schema))) throw twoLedgers(location.path);
      await putIncoming(connection, location, JSON.stringify(incoming));
      return incoming;
    });
  });
}

/** Records what is known of a move by now; null takes it back. */
export function noteMove(location: PostgresStateLocation, incoming: Incoming | null): Promise<void> {
  const text = incoming === null ? null : JSON.stringify(incoming);
  return withConnection(location, (connection) => putIncoming(connection, location, text));
}

/** What was copied of a state beside its journal. */
export interface CopiedNotes {
  readonly account: string | undefined;
  readonly checkpoints: readonly CopiedCheckpoint[];
}

/** Puts the account and the checkpoints in place of those that an earlier attempt of the move left. */
export function putNotes(
  location: PostgresStateLocation,
  { account, checkpoints }: CopiedNotes,
): Promise<void> {
  const schema = quoted(location.address.schema);
  return withConnection(location, (connection) =>
    inTransaction(connection, async () => {
      const update = `UPDATE ${schema}.state SET account = $1 WHERE state = $2`;
      await connection.query(update, [account ?? null, location.key]);
      await connection.query(`DELETE FROM ${schema}.checkpoint WHERE state = $1`, [location.key]);
      await connection.query(
        `INSERT INTO ${schema}.checkpoint
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])`,
        [
          location.key,
          ...(['list', 'name', 'text'] as const).map((field) => checkpoints.map((one) => one[field])),
        ],
      );
    }),
  );
}

/** Ends a move: the state in the database is the one from now on. Does nothing where it ended before. */
export function endMove(location: PostgresStateLocation, move: string): Promise<void> {
  const schema = quoted(location.address.schema);
  return withConnection(location, (connection) =>
    inTransaction(connection, async () => {
      const row = await lockState(connection, location);
      if (row.move === move) return;
      if (row.incoming === null || parseIncoming(row.incoming).move !== move)
        throw notMovedHere(location.path);
      const update = `UPDATE ${schema}.state SET move = $1, incoming = NULL WHERE state = $2`;
      await connection.query(update, [move, location.key]);
    }),
  );
}

async function lockState(connection: Connection, location: PostgresStateLocation): Promise<StateRow> {
  const schema = quoted(location.address.schema);
  await connection.query(`SELECT 1 FROM ${schema}.state WHERE state = $1 FOR UPDATE`, [location.key]);
  const row = await findState(connection, location);
  if (row === undefined) throw notMovedHere(location.path);
  return row;
}

async function putIncoming(
  connection: Connection,
  { address, key }: PostgresStateLocation,
  incoming: string | null,
): Promise<void> {
  const update = `UPDATE ${quoted(address.schema)}.state SET incoming = $1 WHERE state = $2`;
  await connection.query(update, [incoming, key]);
}

/** Whether anything was recorded in a state. */
async function isInUse(
  connection: Connection,
  { address, key }: PostgresStateLocation,
  { account, move }: StateRow,
): Promise<boolean> {
  const schema = quoted(address.schema);
  const rows = await connection.query(`SELECT 1 FROM ${schema}.checkpoint WHERE state = $1 LIMIT 1`, [key]);
  return account !== null || move !== null || rows.length > 0;
}

function continued(path: string, known: Incoming, { folder, host }: Incoming): Incoming {
  if (known.folder === folder && known.host === host) return known;
  throw new Failure(
    'locked',
    `the state ${path} is being moved there from ${known.folder} on ${known.host}`,
    hint`finish that first, on that machine: ${reviewctl`state move`}`,
  );
}

function inUse({ path }: PostgresStateLocation, folder: string): Failure {
  return new Failure(
    'usage',
    `the state ${path} is in use already, and two states cannot become one`,
    `move it to another shop: -c shop=NAME; or, if only another machine pushed to the shop and nothing in ` +
      `${folder} is needed, rename that folder, and use the database without moving anything`,
  );
}

function notMovedHere(path: string): Failure {
  return new Failure(
    'config',
    `the state ${path} is not the one that the state of this folder was moved to`,
    'check the settings state and shop, and whether the database was replaced or restored from an older backup',
  );
}
