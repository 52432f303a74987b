import { register } from 'node:module';

/** Loaded before a program under test: appends the address of every module to the file that LOADS_FILE names. */
const hook = `import { appendFileSync } from 'node:fs';
export const load = (url, context, next) => {
  appendFileSync(process.env.LOADS_FILE, url + '\\n');
  return next(url, context);
};`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
