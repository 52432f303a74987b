import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isPostgresUrl, type PostgresPlace, parsePostgresUrl, postgresUrl } from '../sql/postgres-address.ts';
import type { HighWaterMark } from './high-water-mark.ts';

/** Where a ledger is kept, with everything around it. */
export type LedgerLocation = SqliteLedgerLocation | PostgresLedgerLocation;

interface LedgerSurroundings {
  /** The path of the file or the address of the schema: what messages, records and marks call the ledger. */
  readonly path: string;
  /**
   * The last known event of every ledger; above the folders of profiles, so that it moves neither with a ledger nor
   * with a profile.
   */
  readonly marksPath: string;
  /** The name of the lock that keeps runs of `rewards settle` from overlapping. */
  readonly lockName: string;
  /** What payers leave behind of their calls. */
  readonly callRecordsFolder: string;
}

export interface SqliteLedgerLocation extends LedgerSurroundings {
  readonly kind: 'sqlite';
  /** The path that was named, which may be a link to the file. */
  readonly named: string;
  /** The folder of the state that is made with the ledger; left out for a file that the user named. */
  readonly ownFolder?: string;
}

/** A schema that several machines use. Around it, each machine keeps what is its own: marks, locks, call records. */
export interface PostgresLedgerLocation extends LedgerSurroundings, PostgresPlace {
  readonly kind: 'postgres';
  readonly holds: 'ledger';
  /** The folder of the profile and service on this machine. */
  readonly folder: string;
}

/** The ledger at `file`, else the one in the `folder` of a profile and service below `stateRoot`. */
export function ledgerLocation(stateRoot: string, folder: string, file?: string): SqliteLedgerLocation {
  const marksPath = marksPathIn(stateRoot);
  const named = file === undefined ? join(folder, 'ledger.db') : resolve(file);
  const ownFolder = file === undefined ? { ownFolder: folder } : {};
  return { ...locationAt(followed(named), marksPath), named, ...ownFolder };
}

function marksPathIn(stateRoot: string): string {
  return join(stateRoot, 'high-water-marks.db');
}

/** The ledger in exactly this file. */
export function locationAt(path: string, marksPath: string): SqliteLedgerLocation {
  return {
    kind: 'sqlite',
    path,
    named: path,
    marksPath,
    lockName: basename(path),
    callRecordsFolder: callRecordsFolderOf(path),
  };
}

/** Where the state of several machines is, and the credential for it. */
export interface PostgresState {
  readonly url: string;
  readonly password: string | undefined;
}

/**
 * The ledger of a shop in a database, with what this machine keeps of it in the `folder` of a profile and service.
 * @throws Failure('usage') as `parsePostgresUrl`.
 */
export function postgresLedgerLocation(
  stateRoot: string,
  folder: string,
  { url, password, shop }: PostgresState & { readonly shop: string },
): PostgresLedgerLocation {
  const address = parsePostgresUrl(url, shop);
  return {
    kind: 'postgres',
    holds: 'ledger',
    path: postgresUrl(address),
    address,
    password,
    folder,
    marksPath: marksPathIn(stateRoot),
    lockName: address.schema,
    callRecordsFolder: callRecordsFolderOf(join(folder, address.schema)),
  };
}

/** The ledger that a mark names. A password goes to the server that it was given for, and to no other. */
export function markedLocation({ path, shop }: HighWaterMark, location: LedgerLocation): LedgerLocation {
  if (!isPostgresUrl(path)) return locationAt(path, location.marksPath);
  const address = parsePostgresUrl(path, shop);
  const isOfServer =
    location.kind === 'postgres' &&
    location.address.host === address.host &&
    location.address.port === address.port &&
    location.address.user === address.user;
  return {
    kind: 'postgres',
    holds: 'ledger',
    path,
    address,
    password: isOfServer ? location.password : undefined,
    folder: dirname(location.callRecordsFolder),
    marksPath: location.marksPath,
    lockName: address.schema,
    callRecordsFolder: location.callRecordsFolder,
  };
}

/** What payers leave behind of the calls of the ledger at `path`. */
export function callRecordsFolderOf(path: string): string {
  return `${path}.evidence`;
}

/** The file that a link leads to: a process that opens the link must find the same locks and call records. */
function followed(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
  } catch {
    // Opening it reports what is wrong with it.
    return path;
  }
}
