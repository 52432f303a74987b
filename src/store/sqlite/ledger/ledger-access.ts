import { backoffMs } from '../../../base/backoff.ts';
import { Failure } from '../../../base/failure.ts';
import { systemRandom } from '../../../base/random.ts';
import { type Database, isBusy, transaction } from '../../../base/sqlite.ts';
import { isLedgerFailure } from '../../ledger/ledger-failure.ts';
import type { LedgerOptions } from '../../ledger/ledger-store.ts';
import { createGroupCommit, type PutOff } from '../group-commit.ts';
import { type CommitCover, createCommitCover } from './commit-cover.ts';
import { ledgerFailure, unusableLedger } from './ledger-file.ts';
import { openLedgerLog } from './ledger-log.ts';

/** How often a ledger kept busy by others is tried, with growing pauses: about 10 s in all. */
const busyTries = { most: 250, firstMs: 1, longestMs: 50 } as const;

export interface LedgerAccessOptions extends LedgerOptions {
  /** How writes that are asked for at once come together, and how they get to the disk; left out but where a test has a disk fail. */
  readonly putOff?: PutOff;
  readonly transact?: typeof transaction;
  readonly sync?: () => Promise<void>;
}

/**
 * The open file, its reads and its writes: each tried again while others keep it busy, none after the disk failed one. A commit is seen by others
 * before it is on the disk, and nobody acts on it before it is: neither a write nor a read resolves until everything it may have
 * seen or done, its own or of another process, survives a loss of power.
 */
export interface LedgerAccess {
  readonly database: Database;
  /** `isCovered` tells afterwards whether what was read is known to be on the disk. */
  readonly read: <T>(work: () => T, isCovered?: () => boolean) => Promise<T>;
  readonly write: <T>(work: () => T) => Promise<T>;
  /** What `make` makes, anew in each transaction; `end` is done with it before the commit. */
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
  // After a failed write nobody knows what of it is on the disk: another try would only hide that.
  const failing = (error: unknown): unknown => {
    const told = ledgerFailure(path, error);
    if (isLedgerFailure(told)) failed = told;
    return told;
  };
  const guarded = <T>(work: () => T): T => {
    if (failed !== undefined) throw failed;
    try {
      return work();
    } catch (error) {
      throw failing(error);
    }
  };
  const log = openLedgerLog(path);
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
      `others keep the ledger ${path} busy`,
      'see which other process uses it, and run the same command again',
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
      // Whoever waits for it is told where it fails.
      await cover.ofOwn().catch(() => undefined);
      database.close();
      log.close();
    },
  };
}
