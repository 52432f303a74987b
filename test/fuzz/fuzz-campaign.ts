import { seededRandom } from '../../src/base/random.ts';
import { addFigures } from '../campaign/figures.ts';
import { corpusOf, crashesOf, crashPath, keepCrash, writeCorpus } from './corpus.ts';
import { fuzzTarget } from './fuzz-target.ts';
import { targets } from './targets.ts';
import { Watchdog } from './watchdog.ts';

interface FuzzCampaign {
  readonly minutes: number;
  readonly seed: number;
  /** True if the found inputs replace those in `fixtures/fuzz`. */
  readonly isKept: boolean;
}

/** Fuzzes every reader for the same time. Returns false if an input was neither read nor refused with a message. */
export async function fuzzCampaign({ minutes, seed, isKept }: FuzzCampaign): Promise<boolean> {
  const milliseconds = (minutes * 60_000) / Object.keys(targets).length;
  const random = seededRandom(seed);
  const total = { executions: 0, violations: 0 };
  for (const [name, target] of Object.entries(targets)) {
    const sinceMs = performance.now();
    const watch = new Watchdog(crashPath(name, Buffer.from('hang')));
    const violations: string[] = [];
    const { executions, steps, corpus } = await fuzzTarget(target, {
      random,
      corpus: [...crashesOf(name), ...corpusOf(name)],
      isOver: () => performance.now() - sinceMs > milliseconds,
      onFault: (input, fault) => violations.push(`${keepCrash(name, input)}: ${fault}`),
      watch,
    });
    await watch.close();
    const seconds = (performance.now() - sinceMs) / 1000;
    total.executions += executions;
    total.violations += violations.length;
    if (isKept) writeCorpus(name, corpus);
    console.log(
      `${name}: ${executions} inputs, ${Math.round(executions / seconds)} a second, run ${steps} steps; ` +
        `${corpus.length} are kept; violations ${violations.length}`,
    );
    for (const violation of violations) console.log(`  ${violation}`);
  }
  addFigures('fuzz', total);
  console.log(`${total.executions} executions, ${total.violations} violations`);
  return total.violations === 0;
}
