import { onTestFinished } from 'vitest';
import { openJournal } from '../../src/store/journal/open-journal.ts';
import type { RunJournal } from '../../src/store/journal/push-journal.ts';
import type { PostgresJournalPlace } from '../../src/store/journal/tables.ts';
import { parsePostgresUrl, postgresUrl } from '../../src/store/sql/postgres-address.ts';
import type { PostgresServer } from './postgres-server.ts';

let made = 0;

/** The place of a separate journal; by default in one schema with others, which it must not affect. */
export function freshJournal(server: PostgresServer, schema = 'reviewctl_shop'): PostgresJournalPlace {
  made += 1;
  const address = parsePostgresUrl(server.url(`&schema=${schema}`), 'shop');
  return {
    kind: 'postgres',
    holds: 'state',
    path: postgresUrl(address),
    address,
    password: undefined,
    key: `shop@host-${made}`,
  };
}

/** Opens a journal until the test ends, as another process would. */
export async function openJournalUntilEnd(location: PostgresJournalPlace): Promise<RunJournal> {
  const journal = await openJournal(location);
  onTestFinished(() => journal.close());
  return journal;
}
