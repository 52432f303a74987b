import { DatabaseSync as Database } from '@photostructure/sqlite';

/*
 * SQLite, but with BENCH_JOURNAL=idle for a journal that keeps nothing: statements on records and requests, and the transactions
 * around them, do nothing at all. Everything else of a push stays as it is.
 */

const idle = { run: () => ({ changes: 0, lastInsertRowid: 1 }), all: () => [], get: () => undefined };

export function DatabaseSync(path, options) {
  const database = new Database(path, options);
  if (process.env.BENCH_JOURNAL !== 'idle') return database;
  const { prepare, exec } = Database.prototype;
  Object.defineProperties(database, {
    prepare: {
      value: (sql) => (/\b(?:request|record)\b/.test(sql) ? idle : prepare.call(database, sql)),
    },
    exec: {
      value: (sql) => {
        if (sql !== 'BEGIN IMMEDIATE' && sql !== 'COMMIT') exec.call(database, sql);
      },
    },
  });
  return database;
}
