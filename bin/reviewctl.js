#!/usr/bin/env node
// The global, not the module of this name: importing that opens all three standard streams, which takes as long as telling the version.
const { process } = globalThis;
process.getBuiltinModule('node:module').enableCompileCache?.();
const { main } = await import('../dist/program/main.js');
process.exitCode = await main(process);
