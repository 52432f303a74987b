import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import { type Random, systemRandom } from '../base/random.ts';
import { type Database, isBusy, transaction } from '../base/sqlite.ts';
import { createGroupCommit, type PutOff } from './group-commit.ts';
import { isLedgerFailure, ledgerFailure } from './ledger-file.ts';

/** How often a ledger kept busy by others is tried, with growing pauses: about 10 s in all. */
const busyTries = { most: 250, firstMs: 1, longestMs: 50 } as const;

export interface LedgerAccessOptions {
  readonly clock: Clock;
  readonly random?: Random;
  /** How writes that are asked for at once come together, and how they get to the disk; left out but where a test has a disk fail. */
  readonly putOff?: PutOff;
  readonly transact?: typeof transaction;
}

/** The open file, its reads and its writes: each tried again while others keep it busy, none after the disk failed one. */
export interface LedgerAccess {
  readonly database: Database;
  readonly read: <T>(work: () => T) => Promise<T>;
  readonly write: <T>(work: () => T) => Promise<T>;
  /** Commits what was asked for, then closes the file. */
  readonly close: () => void;
}

export function createLedgerAccess(
  path: string,
  database: Database,
  { clock, random = systemRandom, putOff, transact = transaction }: LedgerAccessOptions,
): LedgerAccess {
  let failed: unknown;
  // After a failed write nobody knows what of it is on the disk: another try would only hide that.
  const guarded = <T>(work: () => T): T => {
    if (failed !== undefined) throw failed;
    try {
      return work();
    } catch (error) {
      const told = ledgerFailure(path, error);
      if (isLedgerFailure(told)) failed = told;
      throw told;
    }
  };
  const commit = createGroupCommit((work) => guarded(() => transact(database, work)), putOff);
  const patiently = async <T>(work: () => T | Promise<T>): Promise<T> => {
    for (let attempt = 1; attempt <= busyTries.most; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      await clock.sleep(backoffMs(attempt, random, busyTries));
    }
    throw new Failure(
      'locked',
      `others keep the ledger ${path} busy`,
      'see which other process uses it, and run the same command again',
    );
  };
  return {
    database,
    read: (work) => patiently(() => guarded(work)),
    write: (work) => patiently(() => commit.write(work)),
    close: () => {
      commit.flush();
      database.close();
    },
  };
}
