import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A ledger file and everything that stands beside it. */
export interface LedgerPlace {
  readonly path: string;
  /** How far every ledger was known to be; above the folders of profiles, so that it goes neither with a ledger nor with a profile. */
  readonly marksPath: string;
  /** What payers leave behind of their calls. */
  readonly callRecordsFolder: string;
  /** One lock for each process that settles. */
  readonly ownersFolder: string;
  /** Keeps runs of `rewards settle` from overlapping. */
  readonly lockPath: string;
}

/** The ledger at `file`, else the one in the `folder` of a profile and service below `stateRoot`. */
export function ledgerPlace(stateRoot: string, folder: string, file?: string): LedgerPlace {
  const path = followed(file === undefined ? join(folder, 'ledger.db') : resolve(file));
  return {
    path,
    marksPath: join(stateRoot, 'high-water-marks.db'),
    callRecordsFolder: callRecordsFolderOf(path),
    ownersFolder: `${path}.owners`,
    lockPath: `${path}.lock`,
  };
}

/** What payers leave behind of the calls of the ledger at `path`. */
export function callRecordsFolderOf(path: string): string {
  return `${path}.evidence`;
}

/** The file a link leads to: whoever comes by the link must find the same locks and evidence beside it. */
function followed(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
  } catch {
    // What is wrong with it is told by whoever opens it.
    return path;
  }
}
