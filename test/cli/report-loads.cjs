const fs = require('node:fs');

/* Loaded before a program under test: appends the path of every file that it reads to the file LOADS_FILE. */
const { readFileSync } = fs;
fs.readFileSync = (path, ...options) => {
  fs.appendFileSync(process.env.LOADS_FILE, `${String(path)}\n`);
  return readFileSync(path, ...options);
};
