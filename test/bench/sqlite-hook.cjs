const Module = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

/*
 * Required before a measured program: replaces SQLite by the module SQLITE_STAND_IN, whether it is required or
 * imported.
 */

const sqlites = ['@photostructure/sqlite', 'node:sqlite'];
const standIn = path.resolve(__dirname, process.env.SQLITE_STAND_IN);

const { _load: load } = Module;
// The replacement and the files beside it get the real SQLite.
const isReal = (parent) =>
  parent !== undefined && path.dirname(parent.filename ?? '') === path.dirname(standIn);
Module._load = (name, parent, isMain) =>
  load(sqlites.includes(name) && !isReal(parent) ? standIn : name, parent, isMain);
const getBuiltinModule = process.getBuiltinModule.bind(process);
process.getBuiltinModule = (name) => (sqlites.includes(name) ? require(standIn) : getBuiltinModule(name));

const hook = `export const resolve = (name, context, next) =>
  ${JSON.stringify(sqlites)}.includes(name) ? { url: '${pathToFileURL(standIn).href}', format: 'commonjs', shortCircuit: true } : next(name, context);`;
Module.register(`data:text/javascript,${encodeURIComponent(hook)}`);
