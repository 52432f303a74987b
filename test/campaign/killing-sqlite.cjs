const { DatabaseSync: Database } = require('./sound-sqlite.cjs');

/*
 * SQLite that kills its process around one commit: KILL_AT=3 before the second one, KILL_AT=4 after it. Counts the
 * commits of all databases of the process together.
 */

const killAt = Number(process.env.KILL_AT);
let steps = 0;

function step() {
  steps += 1;
  if (steps === killAt) process.kill(process.pid, 'SIGKILL');
}

exports.DatabaseSync = function open(path, options) {
  const database = new Database(path, options);
  const { exec } = Database.prototype;
  Object.defineProperty(database, 'exec', {
    value: (sql) => {
      if (sql === 'COMMIT') step();
      exec.call(database, sql);
      if (sql === 'COMMIT') step();
    },
  });
  return database;
};
