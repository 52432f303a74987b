import { Failure } from '../../src/base/failure.ts';
import type { Sql, Transaction } from '../../src/store/sql/sql.ts';

/**
 * The fate of a commit: it succeeds (`written`), another connection locks the file (`busy`), the disk is full or fails
 * and nothing is written (`full`, `fails`), it fails after all is written (`fails-late`), or it reports success and
 * writes nothing (`forgets`).
 */
export type CommitFate = 'written' | 'busy' | 'full' | 'fails' | 'fails-late' | 'forgets';

/** A database on an unreliable disk, with the errors of SQLite. */
export function flakyDisk(sql: Sql, nextFate: () => CommitFate): Sql {
  return {
    ...sql,
    write: async (work) => {
      const fate = nextFate();
      switch (fate) {
        case 'written':
          return sql.write(work);
        case 'busy':
          throw new Failure('locked', 'others keep it busy', 'run the same command again');
        case 'full':
        case 'fails':
          return sql.write(async (tx) => {
            await work(tx);
            throw fate === 'full' ? sqliteError('database or disk is full', 13) : failed();
          });
        case 'fails-late':
          await sql.write(work);
          throw failed();
        case 'forgets':
          return forgotten(sql, work);
      }
    },
  };
}

async function forgotten<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  const undone = new Error('undone');
  const undoing = sql.write(async (tx) => {
    result = { value: await work(tx) };
    throw undone;
  });
  await undoing.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  if (result === undefined) throw undone;
  return result.value;
}

function failed(): Error {
  return sqliteError('disk I/O error', 10);
}

function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}
