// Preloaded: kills the process before or after a rename of a file or folder. KILL_AT chooses it: "before 2" is the
// second rename, "after mall" the rename to this name.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const [moment, place] = (process.env.KILL_AT ?? '').split(' ');
const { renameSync } = fs;
let renames = 0;
const kill = () => process.kill(process.pid, 'SIGKILL');

fs.renameSync = (from, to) => {
  renames += 1;
  const isHere = [String(renames), path.basename(to)].includes(place);
  if (isHere && moment === 'before') kill();
  renameSync(from, to);
  if (isHere && moment === 'after') kill();
};
syncBuiltinESMExports();
