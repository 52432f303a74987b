import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Loaded before a program. Kills its process before operation number KILL_AT_FILE, counted from 1, on the call records
 * of payers.
 */

const killAt = Number(process.env.KILL_AT_FILE);
let steps = 0;

function killingAt(work) {
  return (path, ...rest) => {
    if (String(path).includes('.evidence')) steps += 1;
    if (steps === killAt) process.kill(process.pid, 'SIGKILL');
    return work(path, ...rest);
  };
}

for (const name of ['mkdirSync', 'openSync', 'renameSync', 'writeFileSync']) fs[name] = killingAt(fs[name]);
fs.promises.rm = killingAt(fs.promises.rm);
syncBuiltinESMExports();
