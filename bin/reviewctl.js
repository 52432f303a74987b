#!/usr/bin/env node
// The global, not the module of this name: importing that opens all three standard streams, which takes as long as telling the version.
const { process } = globalThis;
const { HOME, USERPROFILE, XDG_CACHE_HOME } = process.env;
const home = HOME || USERPROFILE;
const folder = XDG_CACHE_HOME || (home && `${home}/.cache`);
// Not where Node.js keeps what it compiled by itself: in a folder for all users, another one may have put code of his own.
if (folder) process.getBuiltinModule('node:module').enableCompileCache?.(`${folder}/reviewctl`);
const { main } = await import('../dist/program/main.js');
process.exitCode = await main(process);
