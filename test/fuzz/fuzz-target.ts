import type { Random } from '../../src/base/random.ts';
import { corpusOf, crashesOf, keepCrash } from './corpus.ts';
import { CoveredCode } from './covered-code.ts';
import { mutate } from './mutate.ts';
import type { Target } from './targets.ts';
import { inputMs, Watchdog } from './watchdog.ts';

/** How long an input takes at which its cost is looked at, in milliseconds. */
const slowMs = 100;
/** How much memory the process may take, in bytes. */
const memoryMaximum = 800 * 1024 * 1024;
/** How long an input may wait for what never comes, in milliseconds. */
const waitMs = 20_000;

interface FuzzReport {
  readonly executions: number;
  /** The number of functions, branches and loops that have run. */
  readonly places: number;
  /** Inputs that, with the seeds, together run all of them. */
  readonly corpus: readonly Buffer[];
  /** What each kept input did. */
  readonly violations: readonly string[];
}

interface FuzzOptions {
  readonly random: Random;
  readonly milliseconds: number;
}

/** Reads mutations of a corpus, and keeps those by which code is run for the first time, until the time is up. */
export async function fuzzTarget(
  name: string,
  target: Target,
  { random, milliseconds }: FuzzOptions,
): Promise<FuzzReport> {
  const watchdog = new Watchdog(name);
  const violations: string[] = [];
  let executions = 0;
  const execute = async (input: Buffer) => {
    executions += 1;
    watchdog.begin(input);
    const fault = await faultOf(target, input);
    watchdog.end();
    if (fault !== undefined) violations.push(`${keepCrash(name, input)}: ${fault}`);
  };
  for (const input of crashesOf(name)) await execute(input);
  const covered = new CoveredCode();
  const material: Buffer[] = [];
  const corpus: Buffer[] = [];
  const tryOut = async (input: Buffer) => {
    covered.begin();
    await execute(input);
    const found = covered.takeNew();
    if (found !== undefined) material.push(input);
    return found;
  };
  const search = async (input: Buffer) => {
    if ((await tryOut(input)) === 'places') corpus.push(input);
  };
  for (const seed of target.seeds) await tryOut(Buffer.from(seed));
  for (const input of corpusOf(name).toSorted(byLength)) await search(input);
  const untilMs = performance.now() + milliseconds;
  while (performance.now() < untilMs) {
    const input = material[Math.floor(random() * material.length)] ?? Buffer.alloc(0);
    await search(mutate(input, { random, others: material, words: target.words }));
  }
  await watchdog.close();
  return { executions, places: covered.places, corpus, violations };
}

function byLength(one: Buffer, other: Buffer): number {
  return one.length - other.length;
}

/** What is wrong with how a target takes an input; undefined where it is read or refused in words. */
export async function faultOf({ run }: Target, input: Buffer): Promise<string | undefined> {
  const sinceMs = performance.now();
  const fault = await inTime(run(input).then(() => undefined, faultInWords));
  const isSlow = performance.now() - sinceMs > slowMs;
  if (fault !== undefined || !isSlow) return fault;
  const bytes = process.memoryUsage.rss();
  if (bytes > memoryMaximum) return `it takes ${bytes} bytes of memory`;
  // Others may have been slow: what counts is the processor time of a second reading.
  const before = process.cpuUsage();
  await run(input).catch(() => undefined);
  const { user, system } = process.cpuUsage(before);
  const usedMs = (user + system) / 1000;
  return usedMs > inputMs ? `it takes ${Math.round(usedMs)} ms` : undefined;
}

function faultInWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function inTime(reading: Promise<string | undefined>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('it waits for ever'), waitMs);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
