import { register } from 'node:module';

/** Loaded before a measured program: puts `sqlite-stand-in.js` in the place of SQLite. */
const standIn = new URL('sqlite-stand-in.js', import.meta.url).href;
const hook = `export const resolve = (name, context, next) =>
  name === '@photostructure/sqlite' && context.parentURL !== '${standIn}'
    ? { url: '${standIn}', shortCircuit: true }
    : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
