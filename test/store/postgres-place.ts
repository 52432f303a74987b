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

/** The place of a separate ledger, with the marks and locks of one machine. */
export function freshLocation(server: PostgresServer, stateRoot = temporaryFolder()): PostgresLedgerLocation {
  made += 1;
  return locationOf(server, `reviewctl_t${made}`, stateRoot);
}

/** The ledger in a schema, as seen by the machine with this state folder. */
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

/** A new ledger at the fixed time of the test clock, which differs from every server's clock. */
export async function makePostgresLedger(server: PostgresServer): Promise<PostgresLedgerLocation> {
  const location = freshLocation(server);
  await makeTablesAt(location, randomUUID());
  return location;
}

/** Creates an empty ledger without a mark. */
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
