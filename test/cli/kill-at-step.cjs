// Preloaded: kills the process before step number KILL_STEP; 0 only counts. A step is a message to a server on a socket
// or a rename of a file. With KILL_SIGNAL=SIGSTOP the process is stopped instead. Each step writes its number to the
// file STEPS_FILE.
const fs = require('node:fs');
const net = require('node:net');
const { syncBuiltinESMExports } = require('node:module');

const last = Number(process.env.KILL_STEP);
const { renameSync, writeFileSync } = fs;
const write = Reflect.get(net.Socket.prototype, 'write');
let steps = 0;

function step() {
  steps += 1;
  if (steps === last) process.kill(process.pid, process.env.KILL_SIGNAL ?? 'SIGKILL');
  if (process.env.STEPS_FILE !== undefined) writeFileSync(process.env.STEPS_FILE, String(steps));
}

fs.renameSync = (from, to) => {
  step();
  renameSync(from, to);
};
net.Socket.prototype.write = function (...message) {
  if (this !== process.stdout && this !== process.stderr) step();
  return Reflect.apply(write, this, message);
};
syncBuiltinESMExports();
