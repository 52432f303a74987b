import { parseArgs } from 'node:util';
import { killRound } from './kill-round.ts';

/*
 * The long version of `kills.test.ts`: as many kills as asked for, from a seed that can be given again. Prints one line
 * a round and exits 1 where a promise was broken.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '200' },
    items: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});

if (positionals.join() !== 'push')
  throw new Error('there is one campaign: push [--kills N] [--items N] [--seed S]');

/** Kills of one round, which has one input and one sandbox. */
const killsPerRound = 10;
/** So many rounds in a row without one kill mean that the push ends before any. */
const idleRoundsMaximum = 5;

const wanted = Number(values.kills);
let killed = 0;
let broken = 0;
let idle = 0;
for (let seed = Number(values.seed); killed < wanted && idle < idleRoundsMaximum; seed += 1) {
  const report = await killRound({
    seed,
    kills: Math.min(killsPerRound, wanted - killed),
    itemCount: Number(values.items),
    faults: { throttle: 0.02, error: 0.02, 'reset-before': 0.02, 'reset-after': 0.02, torn: 0.02 },
  });
  killed += report.killed;
  broken += report.violations.length;
  idle = report.killed === 0 ? idle + 1 : 0;
  console.log(
    `seed ${seed}: killed ${report.killed}, unknown ${report.unknown}, broken promises ${report.violations.length}`,
  );
  for (const violation of report.violations) console.log(`  ${violation}`);
}
console.log(`${killed} kills, ${broken} broken promises`);
process.exitCode = broken > 0 || killed < wanted ? 1 : 0;
