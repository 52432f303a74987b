const Module = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

/* Required before a program under test: puts the module that SQLITE_STAND_IN names in the place of SQLite, whether it is required or imported. */

const sqlite = '@photostructure/sqlite';
const standIn = path.resolve(__dirname, process.env.SQLITE_STAND_IN);

const { _load: load } = Module;
Module._load = (name, parent, isMain) =>
  load(name === sqlite && parent?.filename !== standIn ? standIn : name, parent, isMain);

const hook = `export const resolve = (name, context, next) =>
  name === '${sqlite}' ? { url: '${pathToFileURL(standIn).href}', format: 'commonjs', shortCircuit: true } : next(name, context);`;
Module.register(`data:text/javascript,${encodeURIComponent(hook)}`);
