import { Failure } from '../../../base/failure.ts';
import { readTransaction, transaction } from '../../../base/sqlite.ts';
import { type DatabaseLog, openDatabaseLog } from '../../sql/database-log.ts';
import { createCommitCover } from '../commit-cover.ts';
import { createGroupCommit } from '../group-commit.ts';
import type { JournalAccess } from './access.ts';
import { failingJournal, onJournalFile, openJournalFile } from './journal-file.ts';
import { Records, type RecordsOptions } from './records.ts';
import { createLogTrim } from './trim-log.ts';

/** A journal file that is open, and its records. */
export interface OpenedRecords {
  readonly access: JournalAccess;
  readonly records: Records;
  /** After a request has ended: writes what has grown too long, while other work continues. */
  readonly afterEnd: () => void;
  readonly close: () => Promise<void>;
}

/** @throws Failure as `openJournalFile`. */
export async function openRecords(path: string, options: RecordsOptions): Promise<OpenedRecords> {
  const database = await openJournalFile(path);
  const log = createLogTrim(database, path, options.log);
  const transact = <T>(work: () => T): T => onJournalFile(path, () => transaction(database, work));
  const read = <T>(work: () => T): T => onJournalFile(path, () => readTransaction(database, work));
  const records = new Records({ database, transact, read }, options);
  const disk = journalDisk(path, options);
  const cover = createCommitCover(disk.sync);
  const commit = createGroupCommit((work) => {
    try {
      const done = transact(work);
      cover.noteCommit();
      return done;
    } catch (error) {
      records.rollBack();
      throw error;
    }
  }, log.putOff);
  let settling: Promise<void> | undefined;
  const settle = () => {
    settling ??= records
      .settle()
      .catch(ignoreFailure)
      .finally(() => {
        settling = undefined;
      });
    return settling;
  };
  return {
    access: { database, transact, read, commit, sync: () => cover.wait() },
    records,
    afterEnd: () => {
      if (records.isFull && !log.isCopying()) void settle();
      if (settling === undefined) log.look();
    },
    close: async () => {
      await log.ended();
      commit.flush();
      // Those who wait for the disk receive its failure.
      await cover.wait().catch(ignoreFailure);
      try {
        await settling;
        if (options.isReadOnly === true) return;
        await settle();
        log.copyAll();
      } finally {
        database.close();
        disk.close();
      }
    },
  };
}

/** Opened with the first wait: most uses of a journal begin no request. */
function journalDisk(path: string, { sync }: RecordsOptions): DatabaseLog {
  let log: DatabaseLog | undefined;
  const syncLog = async () => {
    log ??= openDatabaseLog(path);
    await log.sync();
  };
  return {
    sync: async () => {
      try {
        await (sync ?? syncLog)();
      } catch (error) {
        throw failingJournal(path, error);
      }
    },
    close: () => log?.close(),
  };
}

/** For what spares the next process work, and is not missing where the file fails. */
export function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}
