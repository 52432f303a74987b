import { seededRandom } from '../../src/base/random.ts';
import { addFigures } from '../campaign/figures.ts';
import { writeCorpus } from './corpus.ts';
import { fuzzTarget } from './fuzz-target.ts';
import { targets } from './targets.ts';

interface FuzzCampaign {
  readonly minutes: number;
  readonly seed: number;
  /** Whether the inputs that were found take the place of those in `fixtures/fuzz`. */
  readonly isKept: boolean;
}

/** Fuzzes every reader, each as long as the others. False where an input was neither read nor refused in words. */
export async function fuzzCampaign({ minutes, seed, isKept }: FuzzCampaign): Promise<boolean> {
  const milliseconds = (minutes * 60_000) / Object.keys(targets).length;
  const random = seededRandom(seed);
  const total = { executions: 0, violations: 0 };
  for (const [name, target] of Object.entries(targets)) {
    const { executions, places, corpus, violations } = await fuzzTarget(name, target, {
      random,
      milliseconds,
    });
    total.executions += executions;
    total.violations += violations.length;
    if (isKept) writeCorpus(name, corpus);
    console.log(
      `${name}: ${executions} inputs reach ${places} places; ${corpus.length} are kept; violations ${violations.length}`,
    );
    for (const violation of violations) console.log(`  ${violation}`);
  }
  addFigures('fuzz', total);
  console.log(`${total.executions} executions, ${total.violations} violations`);
  return total.violations === 0;
}
