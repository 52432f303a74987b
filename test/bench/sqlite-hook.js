import { register } from 'node:module';

/** Loaded before a program under test: puts the module that SQLITE_STAND_IN names in the place of SQLite. */
const standIn = new URL(process.env.SQLITE_STAND_IN, import.meta.url).href;
const hook = `export const resolve = (name, context, next) =>
  name === '@photostructure/sqlite' && context.parentURL !== '${standIn}'
    ? { url: '${standIn}', shortCircuit: true }
    : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
