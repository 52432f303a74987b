import type { PostgresState } from '../ledger/ledger-location.ts';
import { parsePostgresUrl, postgresUrl } from '../sql/postgres-address.ts';
import type { PostgresStateLocation } from './state-location.ts';

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
