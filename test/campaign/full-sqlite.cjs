const { DatabaseSync: Database } = require('./sound-sqlite.cjs');

/* SQLite on a disk that is full from commit FULL_AT on, counted from 1 over all databases of the process. */

const fullAt = Number(process.env.FULL_AT);
let commits = 0;

exports.DatabaseSync = function open(path, options) {
  const database = new Database(path, options);
  const { exec } = Database.prototype;
  Object.defineProperty(database, 'exec', {
    value: (sql) => {
      if (sql === 'COMMIT') commits += 1;
      if (sql === 'COMMIT' && commits >= fullAt) {
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
      }
      exec.call(database, sql);
    },
  });
  return database;
};
