import { lstatSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { HighWaterMark } from './high-water-mark.ts';

/** Where a ledger is kept, with everything around it. */
export interface LedgerLocation {
  readonly kind: 'sqlite';
  readonly path: string;
  /** The folder of the state that is made with the ledger; left out for a file that the user named. */
  readonly ownFolder?: string;
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

/** The ledger at `file`, else the one in the `folder` of a profile and service below `stateRoot`. */
export function ledgerLocation(stateRoot: string, folder: string, file?: string): LedgerLocation {
  const marksPath = join(stateRoot, 'high-water-marks.db');
  return file === undefined
    ? { ...locationAt(followed(join(folder, 'ledger.db')), marksPath), ownFolder: folder }
    : locationAt(followed(resolve(file)), marksPath);
}

/** The ledger in exactly this file. */
export function locationAt(path: string, marksPath: string): LedgerLocation {
  return {
    kind: 'sqlite',
    path,
    marksPath,
    lockName: basename(path),
    callRecordsFolder: callRecordsFolderOf(path),
  };
}

/** The ledger that a mark names, which is kept as the one at `location`. */
export function markedLocation({ path }: HighWaterMark, { marksPath }: LedgerLocation): LedgerLocation {
  return locationAt(path, marksPath);
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
