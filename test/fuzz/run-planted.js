import { readFileSync } from 'node:fs';
import { bundled, runBundled } from '../campaign/run-bundled.js';
import { instrumented } from './instrument.js';

/*
 * Prints the output of `find-planted.ts` for one reader: `node test/fuzz/run-planted.js <reader> <executions> <seed>`.
 */

const [reader = '', executions = '20000', seed = '1'] = process.argv.slice(2);
const bugs = JSON.parse(readFileSync('fixtures/fuzz/planted-bugs.json', 'utf8'));
const bundle = await bundled('test/fuzz/find-planted.ts', instrumented(bugs));
const wanted = bugs.filter(({ target }) => target === reader).length;
process.exitCode = runBundled(bundle, [reader, executions, seed, `${wanted}`]).status ?? 1;
