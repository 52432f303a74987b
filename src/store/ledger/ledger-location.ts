import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isPostgresUrl, type PostgresPlace, parsePostgresUrl, postgresUrl } from '../sql/postgres-address.ts';
import type { HighWaterMark } from './high-water-mark.ts';

/** The place of a ledger, with the paths around it. */
export type LedgerLocation = SqliteLedgerLocation | PostgresLedgerLocation;

interface LedgerSurroundings {
  /** The path of the file or the address of the schema: the name of the ledger in messages, records and marks. */
  readonly path: string;
  /**
   * The file with the last known event of every ledger. It is above the folders of profiles, so that it moves with
   * neither a ledger nor a profile.
   */
  readonly marksPath: string;
  /** The name of the lock that keeps runs of `rewards settle` from overlapping. */
  readonly lockName: string;
  /** The folder where payers keep records of their calls. */
  readonly callRecordsFolder: string;
}

export interface SqliteLedgerLocation extends LedgerSurroundings {
  readonly kind: 'sqlite';
  /** The path as named, which may be a link to the file. */
  readonly named: string;
  /** The folder of the state, created with the ledger; left out for a file that the user named. */
  readonly ownFolder?: string;
}

/** A schema that several machines use. Each machine keeps its own marks, locks and call records. */
export interface PostgresLedgerLocation extends LedgerSurroundings, PostgresPlace {
  readonly kind: 'postgres';
  readonly holds: 'ledger';
  /** The folder of the profile and service on this machine. */
  readonly folder: string;
}

/** The ledger at `file`, or else in the `folder` of a profile and service below `stateRoot`. */
export function ledgerLocation(stateRoot: string, folder: string, file?: string): SqliteLedgerLocation {
  const marksPath = marksPathIn(stateRoot);
  const named = file === undefined ? join(folder, 'ledger.db') : resolve(file);
  const ownFolder = file === undefined ? { ownFolder: folder } : {};
  return { ...locationAt(followed(named), marksPath), named, ...ownFolder };
}

function marksPathIn(stateRoot: string): string {
  return join(stateRoot, 'high-water-marks.db');
}

/** The ledger in this file, without following links. */
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

/** The address of the state that machines share, and its credential. */
export interface PostgresState {
  readonly url: string;
  readonly password: string | undefined;
}

/**
 * The ledger of a shop in a database, and the `folder` of a profile and service for the files of this machine.
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

/** The ledger that a mark names. A password is sent only to the server it was given for. */
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

/** The folder where payers keep records of the calls of the ledger at `path`. */
export function callRecordsFolderOf(path: string): string {
  return `${path}.evidence`;
}

/** Resolves a link: a process that opens the link must find the same locks and call records. */
function followed(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
  } catch {
    // Opening the file reports the error.
    return path;
  }
}
