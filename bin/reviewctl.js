#!/usr/bin/env node
const { main } = require('../dist/program/main.cjs');

main(process).then((exitCode) => {
  process.exitCode = exitCode;
});
