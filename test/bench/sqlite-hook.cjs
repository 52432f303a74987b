const Module = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

/* Required before a program under test: puts the module that SQLITE_STAND_IN names in the place of SQLite, whether it is required or imported. */

const sqlites = ['@photostructure/sqlite', 'node:sqlite'];
const standIn = path.resolve(__dirname, process.env.SQLITE_STAND_IN);

const { _load: load } = Module;
// What stands in for SQLite, and the files beside it, get the real one.
const isReal = (parent) =>
  parent !== undefined && path.dirname(parent.filename ?? '') === path.dirname(standIn);
Module._load = (name, parent, isMain) =>
  load(sqlites.includes(name) && !isReal(parent) ? standIn : name, parent, isMain);
const getBuiltinModule = process.getBuiltinModule.bind(process);
process.getBuiltinModule = (name) => (sqlites.includes(name) ? require(standIn) : getBuiltinModule(name));

const hook = `export const resolve = (name, context, next) =>
  ${JSON.stringify(sqlites)}.includes(name) ? { url: '${pathToFileURL(standIn).href}', format: 'commonjs', shortCircuit: true } : next(name, context);`;
Module.register(`data:text/javascript,${encodeURIComponent(hook)}`);
