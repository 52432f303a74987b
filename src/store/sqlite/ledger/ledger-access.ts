import { backoffMs } from '../../../base/backoff.ts';
import { Failure } from '../../../base/failure.ts';
import { systemRandom } from '../../../base/random.ts';
import { type Database, isBusy, transaction } from '../../../base/sqlite.ts';
import { isLedgerFailure } from '../../ledger/ledger-failure.ts';
import type { LedgerOptions } from '../../ledger/ledger-store.ts';
import { openDatabaseLog } from '../../sql/database-log.ts';
import { type CommitCover, createCommitCover } from '../commit-cover.ts';
import { createGroupCommit, type PutOff } from '../group-commit.ts';
import { ledgerFailure, unusableLedger } from './ledger-file.ts';

/** How often a ledger kept busy by others is tried, with growing pauses: about 10 s in all. */
const busyTries = { most: 250, firstMs: 1, longestMs: 50 } as const;

export interface LedgerAccessOptions extends LedgerOptions {
  /** How concurrent writes share a commit, and how they reach the disk; set only in tests, to make a disk fail. */
  readonly putOff?: PutOff;
  readonly transact?: typeof transaction;
  readonly sync?: () => Promise<void>;
}

/**
 * The open file, its reads and its writes. Each is retried while other processes keep the file busy, and none follows a
 * failed write. Other processes see a commit before it is on the disk. So neither a read nor a write resolves until
 * everything that it saw or wrote, of this process or another, survives a loss of power.
 */
export interface LedgerAccess {
  readonly database: Database;
  /** `isCovered` is asked afterwards whether the result is known to be on the disk. */
  readonly read: <T>(work: () => T, isCovered?: () => boolean) => Promise<T>;
  readonly write: <T>(work: () => T) => Promise<T>;
  /** A value that `make` creates once in each transaction; `end` receives it before the commit. */
  readonly perTransaction: <T>(make: () => T, end: (made: T) => void) => () => T;
  readonly cover: Pick<CommitCover, 'commits' | 'has' | 'version'>;
  /** Commits what was asked for, then closes the file. */
  readonly close: () => Promise<void>;
}

export function createLedgerAccess(
  path: string,
  database: Database,
  { clock, random = systemRandom, transact = transaction, ...options }: LedgerAccessOptions,
): LedgerAccess {
  let failed: unknown;
  // After a failed write, its state on the disk is unknown: a retry would only hide that.
  const failing = (error: unknown): unknown => {
    const failure = ledgerFailure(path, error);
    if (isLedgerFailure(failure)) failed = failure;
    return failure;
  };
  const guarded = <T>(work: () => T): T => {
    if (failed !== undefined) throw failed;
    try {
      return work();
    } catch (error) {
      throw failing(error);
    }
  };
  const log = openDatabaseLog(path);
  const { sync = log.sync, putOff = (work) => void cover.free().then(() => setImmediate(work)) } = options;
  const cover = createCommitCover(database, () =>
    sync().catch((error: unknown) => {
      throw failing(unusableLedger(path, error));
    }),
  );
  let transactions = 0;
  let ends: (() => void)[] = [];
  const commit = createGroupCommit(
    (work) =>
      guarded(() => {
        transactions += 1;
        ends = [];
        const results = transact(database, () => {
          const done = work();
          for (const end of ends) end();
          return done;
        });
        cover.noteCommit();
        return results;
      }),
    putOff,
  );
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
      `other processes keep the ledger ${path} busy`,
      'find the process that uses it, then run the same command again',
    );
  };
  return {
    database,
    cover,
    read: (work, isCovered = () => false) =>
      patiently(() =>
        guarded(() => {
          const result = work();
          return isCovered() ? result : cover.ofAll().then(() => result);
        }),
      ),
    write: async (work) => {
      const result = await patiently(() => commit.write(work));
      await cover.ofOwn();
      return result;
    },
    perTransaction: (make, end) => {
      let made: { readonly transaction: number; readonly value: ReturnType<typeof make> } | undefined;
      return () => {
        if (made?.transaction !== transactions) {
          const value = make();
          made = { transaction: transactions, value };
          ends.push(() => end(value));
        }
        return made.value;
      };
    },
    close: async () => {
      commit.flush();
      // Those who wait for the commit receive its failure.
      await cover.ofOwn().catch(() => undefined);
      database.close();
      log.close();
    },
  };
}
