import type { Random } from '../../src/base/random.ts';
import { CoveredCode } from './covered-code.ts';
import { costFault, readOnce } from './fault.ts';
import { bytesOf, mutate } from './mutate.ts';
import { Operands } from './operands.ts';
import type { Target } from './targets.ts';
import { comparisonsOf, fuzzConstants } from './tracing.ts';

/** Mutations of an input before the next input is chosen. */
const mutationsAtOnce = 8;
/** The number of candidates for the next input; the least tried one is mutated. */
const drawn = 8;
/** The fixed cost of reading any input, as a number of bytes that take the same time. */
const fixedCost = 200;

interface FuzzReport {
  readonly executions: number;
  /** The number of executed steps between places of the code. */
  readonly steps: number;
  /** Inputs that, together with the seeds, execute all of them. */
  readonly corpus: readonly Buffer[];
}

interface FuzzOptions {
  readonly random: Random;
  /** Initial inputs besides the seeds. */
  readonly corpus: readonly Buffer[];
  readonly isOver: (executions: number) => boolean;
  /** Called with an input that is neither read nor refused with a message, and the number of executions. */
  readonly onFault: (input: Buffer, fault: string, executions: number) => void;
  /** Called around each execution. */
  readonly watch?: { begin(input: Buffer): void; end(): void };
}

/** An input with a new effect. */
interface Found {
  readonly text: string;
  readonly steps: number;
  mutations: number;
  /** True once its comparisons were used. */
  isCompared: boolean;
}

/**
 * Reads mutations of inputs until `isOver`, and keeps those with a new effect. First replaces parts of a new input by
 * the operands with which they are compared.
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
    // An input with a fault would only lead to the same fault again.
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

/** String constants in the source files of a reader. */
function constantsOf({ sources }: Target): readonly string[] {
  const paths = Object.keys(fuzzConstants).filter((path) =>
    sources.some((source) => path.startsWith(source)),
  );
  return [...new Set(paths.flatMap((path) => fuzzConstants[path] ?? []))];
}

/**
 * The least tried of a few random inputs, weighted by steps: inputs that a reader processes further are more
 * productive.
 */
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
