import { type Database, transaction } from '../../src/base/sqlite.ts';

/**
 * What becomes of a transaction: it works; another connection holds the file; the disk is full, or fails, and nothing is written; it
 * fails when all is written; or it says that all is written, and nothing is.
 */
export type CommitFate = 'written' | 'busy' | 'full' | 'fails' | 'fails-late' | 'forgets';

/** Transactions on a disk that fails at times, with the errors of SQLite. */
export function flakyDisk(nextFate: () => CommitFate): typeof transaction {
  return (database, work) => {
    const fate = nextFate();
    switch (fate) {
      case 'written':
        return transaction(database, work);
      case 'busy':
        throw sqliteError('database is locked', 5);
      case 'full':
      case 'fails':
        return transaction(database, () => {
          work();
          throw fate === 'full' ? sqliteError('database or disk is full', 13) : failed();
        });
      case 'fails-late':
        transaction(database, work);
        throw failed();
      case 'forgets':
        return forgotten(database, work);
    }
  };
}

function forgotten<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  const result = work();
  database.exec('ROLLBACK');
  return result;
}

function failed(): Error {
  return sqliteError('disk I/O error', 10);
}

function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}
