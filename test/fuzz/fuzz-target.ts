import type { Random } from '../../src/base/random.ts';
import { CoveredCode } from './covered-code.ts';
import { costFault, readOnce } from './fault.ts';
import { bytesOf, mutate } from './mutate.ts';
import { Operands } from './operands.ts';
import type { Target } from './targets.ts';
import { comparisonsOf, fuzzConstants } from './tracing.ts';

/** How many mutations of an input are tried before another one is drawn. */
const mutationsAtOnce = 8;
/** So many inputs are drawn, of which the one is mutated that has had the least attention. */
const drawn = 8;
/** What reading any input costs, in the time that a byte of it takes. */
const fixedCost = 200;

interface FuzzReport {
  readonly executions: number;
  /** The number of steps from one place of the code to the next that have run. */
  readonly steps: number;
  /** Inputs that, with the seeds, together run all of them. */
  readonly corpus: readonly Buffer[];
}

interface FuzzOptions {
  readonly random: Random;
  /** Inputs to begin with, besides the seeds. */
  readonly corpus: readonly Buffer[];
  readonly isOver: (executions: number) => boolean;
  /** Called with an input that is neither read nor refused in words, after so many executions. */
  readonly onFault: (input: Buffer, fault: string, executions: number) => void;
  /** Called around each execution. */
  readonly watch?: { begin(input: Buffer): void; end(): void };
}

/** An input that did something new. */
interface Found {
  readonly text: string;
  /** The number of steps that it runs. */
  readonly steps: number;
  /** The mutations of it that have been tried. */
  mutations: number;
  /** Whether its comparisons have been looked at. */
  isCompared: boolean;
}

/**
 * Reads mutations of inputs until it `isOver`, and keeps those that do something new. What is compared with a part of a
 * new input is put in its place first.
 */
export async function fuzzTarget(
  target: Target,
  { random, corpus, isOver, onFault, watch }: FuzzOptions,
): Promise<FuzzReport> {
  const covered = new CoveredCode();
  const material: Found[] = [];
  const others: string[] = [];
  const operands = new Operands(random);
  const words = [bytesOf(target.words), bytesOf(constantsOf(target)), operands.words];
  const kept: Buffer[] = [];
  let executions = 0;
  const execute = async (input: Buffer) => {
    executions += 1;
    covered.begin();
    watch?.begin(input);
    const { fault, isSlow } = await readOnce(target, input);
    const { novelty, steps } = covered.takeNew();
    const atFault = fault ?? (isSlow ? await costFault(target, input) : undefined);
    watch?.end();
    if (atFault !== undefined) onFault(input, atFault, executions);
    // What is at fault already would lead to the same fault again.
    return { novelty: atFault === undefined ? novelty : undefined, steps };
  };
  const tryOut = async (text: string, isSeed = false) => {
    const input = Buffer.from(text, 'latin1');
    const { novelty, steps } = await execute(input);
    if (novelty === undefined) return;
    if (novelty === 'steps' && !isSeed) kept.push(input);
    const found = { text, steps, mutations: 0, isCompared: false };
    material.push(found);
    others.push(text);
  };
  for (const seed of target.seeds) await tryOut(Buffer.from(seed).toString('latin1'), true);
  for (const input of corpus.toSorted((one, other) => one.length - other.length)) {
    await tryOut(input.toString('latin1'));
  }
  while (!isOver(executions)) {
    const found = leastTried(material, random);
    if (!found.isCompared) {
      found.isCompared = true;
      const comparisons = await comparisonsOf(() => execute(Buffer.from(found.text, 'latin1')));
      operands.learn(comparisons);
      for (const text of operands.replacements(found.text, comparisons, target.syntax)) {
        if (!isOver(executions)) await tryOut(text);
      }
    }
    for (let tried = 0; tried < mutationsAtOnce && !isOver(executions); tried += 1) {
      found.mutations += 1;
      await tryOut(mutate(found.text, { random, others, words, syntax: target.syntax }));
    }
  }
  return { executions, steps: covered.steps, corpus: kept };
}

/** The texts of the files that a reader decides by. */
function constantsOf({ sources }: Target): readonly string[] {
  const paths = Object.keys(fuzzConstants).filter((path) =>
    sources.some((source) => path.startsWith(source)),
  );
  return [...new Set(paths.flatMap((path) => fuzzConstants[path] ?? []))];
}

/** Of a few inputs, the one that had the least attention by its worth: those that a reader reads far lead further. */
function leastTried(material: readonly Found[], random: Random): Found {
  const attention = ({ text, steps, mutations }: Found) =>
    ((mutations + 1) * (text.length + fixedCost)) / steps ** 3;
  let least: Found = { text: '', steps: 1, mutations: 0, isCompared: true };
  for (let draw = 0; draw < drawn; draw += 1) {
    const found = material[Math.floor(random() * material.length)];
    if (found !== undefined && (draw === 0 || attention(found) < attention(least))) least = found;
  }
  return least;
}
