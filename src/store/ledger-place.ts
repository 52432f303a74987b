import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A ledger file and everything that stands beside it. */
export interface LedgerPlace {
  readonly path: string;
  /** How far the ledger was known to be; in the state folder, so that it does not go with the ledger. */
  readonly marksPath: string;
  /** What payers leave behind of their calls. */
  readonly evidenceFolder: string;
  /** One lock for each process that settles. */
  readonly ownersFolder: string;
  /** Keeps runs of `rewards settle` from overlapping. */
  readonly lockPath: string;
}

/** The ledger at `file`, else the one of the state folder. */
export function ledgerPlace(stateFolder: string, file?: string): LedgerPlace {
  const path = followed(file === undefined ? join(stateFolder, 'ledger.db') : resolve(file));
  return {
    path,
    marksPath: join(stateFolder, 'ledger-marks.db'),
    evidenceFolder: `${path}.evidence`,
    ownersFolder: `${path}.owners`,
    lockPath: `${path}.lock`,
  };
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
