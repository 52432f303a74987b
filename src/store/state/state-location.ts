import type { PostgresState } from '../ledger/ledger-location.ts';
import { type PostgresPlace, parsePostgresUrl, postgresUrl } from '../sql/postgres-address.ts';

/**
 * Where the state of one profile at one service is kept: its journal with the runs, the positions of its lists, its
 * account and its locks. The `folder` of the profile and service is on this machine in any case: it has the values that
 * runs undo writes back, the note that updates reset fields, and temporary files.
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

/** What the names of the locks of a state begin with, in a schema that holds several. */
export function lockScope({ key }: PostgresStateLocation): string {
  return `${key} `;
}

/** The state in a folder. */
export function stateLocation(folder: string): SqliteStateLocation {
  return { kind: 'sqlite', folder };
}

/**
 * The state of a shop at one service in a database, with the `folder` that this machine has for it.
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
