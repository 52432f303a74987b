import type { PostgresState } from '../ledger/ledger-location.ts';
import { type PostgresPlace, parsePostgresUrl, postgresUrl } from '../sql/postgres-address.ts';

/**
 * The place of the state of one profile at one service: its journal with the runs, its checkpoints, its account and its
 * locks. The `folder` of the profile and service is always on this machine. It holds the undo logs of runs, the note
 * that updates reset fields, and temporary files.
 */
export type StateLocation = SqliteStateLocation | PostgresStateLocation;

export interface SqliteStateLocation {
  readonly kind: 'sqlite';
  readonly folder: string;
}

/** A schema that several machines use. */
export interface PostgresStateLocation extends PostgresPlace {
  readonly kind: 'postgres';
  readonly holds: 'state';
  readonly folder: string;
  readonly shop: string;
  /** Distinguishes the states in one schema: the shop and its service. */
  readonly key: string;
}

/** The prefix of a state's lock names in a schema that holds several states. */
export function lockScope({ key }: PostgresStateLocation): string {
  return `${key} `;
}

/** The state in a folder. */
export function stateLocation(folder: string): SqliteStateLocation {
  return { kind: 'sqlite', folder };
}

/**
 * The state of a shop at one service in a database, with its `folder` on this machine.
 * @throws Failure('usage') as `parsePostgresUrl`.
 */
export function postgresStateLocation(
  folder: string,
  { url, password, shop, service }: PostgresState & { readonly shop: string; readonly service: URL },
): PostgresStateLocation {
  const address = parsePostgresUrl(url, shop);
  return {
    kind: 'postgres',
    holds: 'state',
    path: postgresUrl(address),
    address,
    password,
    folder,
    shop,
    key: `${shop}@${service.host}${service.pathname.replace(/(?<!\/)\/+$/, '')}`,
  };
}
