import { seededRandom } from '../../src/base/random.ts';
import { fuzzTarget } from './fuzz-target.ts';
import { targets } from './targets.ts';

/*
 * Fuzzes one reader with planted bugs from its seeds only. Prints as JSON after how many executions each bug was found.
 */

const [name = '', executionsMaximum = '0', seed = '1', wanted = '0'] = process.argv.slice(2);
const target = targets[name];
if (target === undefined) throw new Error(`there is no reader '${name}'`);
const found: Record<string, number> = {};
const others: string[] = [];
const sinceMs = performance.now();
const { executions } = await fuzzTarget(target, {
  random: seededRandom(Number(seed)),
  corpus: [],
  isOver: (done) => done >= Number(executionsMaximum) || Object.keys(found).length >= Number(wanted),
  onFault: (_, fault, done) => {
    const [, planted] = /planted: (.*)/.exec(fault) ?? [];
    if (planted === undefined) others.push(fault);
    else found[planted] ??= done;
  },
});
const seconds = (performance.now() - sinceMs) / 1000;
console.log(JSON.stringify({ found, others, executions, aSecond: Math.round(executions / seconds) }));
