// Preloaded: kills the process before its KILL_STEP-th step, a message to a server on a socket or a rename of a file; 0
// only counts. With KILL_SIGNAL=SIGSTOP it is stopped there instead. The number of steps is written to the file
// STEPS_FILE as they are made.
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
