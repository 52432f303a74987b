import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import {
  type PostgresLedgerLocation,
  postgresLedgerLocation,
} from '../../src/store/ledger/ledger-location.ts';
import { newMeta } from '../../src/store/ledger/ledger-meta.ts';
import {
  anyServer,
  makeLedgerTables,
  openLedgerServer,
  openPostgresLedger,
} from '../../src/store/ledger/ledger-server.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity, nowMs } from '../settle/entries.ts';
import { stillClock } from './open-ledger-place.ts';
import type { PostgresServer } from './postgres-server.ts';

let made = 0;

/** Where a ledger of its own would be, with the marks and locks of one machine. */
export function freshLocation(server: PostgresServer, stateRoot = temporaryFolder()): PostgresLedgerLocation {
  made += 1;
  return locationOf(server, `reviewctl_t${made}`, stateRoot);
}

/** The ledger in a schema, as the machine with this state folder sees it. */
export function locationOf(
  server: PostgresServer,
  schema: string,
  stateRoot = temporaryFolder(),
): PostgresLedgerLocation {
  const url = server.url(`&schema=${schema}`);
  return postgresLedgerLocation(stateRoot, join(stateRoot, 'profile'), {
    url,
    password: undefined,
    shop: 'shop',
  });
}

/** A new ledger of the instant at which the clock of tests stands, which no server's clock agrees with. */
export async function makePostgresLedger(server: PostgresServer): Promise<PostgresLedgerLocation> {
  const location = freshLocation(server);
  await makeTablesAt(location, randomUUID());
  return location;
}

/** Makes an empty ledger, which no mark knows. */
export async function makeTablesAt(location: PostgresLedgerLocation, ledgerId: string): Promise<void> {
  const sql = await openLedgerServer(location, anyServer);
  const made = { ...newMeta(identity, nowMs), ledgerId };
  await sql.make((tx) => makeLedgerTables(sql, tx, made));
  await sql.close();
}

/** Opens the ledger until the test ends, as another process would. */
export async function openPostgresUntilEnd(location: PostgresLedgerLocation): Promise<Ledger> {
  const ledger = await openPostgresLedger(location, { clock: stillClock, acceptSession: anyServer });
  onTestFinished(() => ledger.close());
  return ledger;
}
