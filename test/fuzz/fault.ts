import type { Target } from './targets.ts';
import { inputMs } from './watchdog.ts';

/** How long an input takes at which its cost is looked at, in milliseconds. */
const slowMs = 100;
/** How much memory the process may take, in bytes. */
const memoryMaximum = 800 * 1024 * 1024;
/** How long an input may wait for what never comes, in milliseconds. */
const waitMs = 20_000;

/** What is wrong with how a target takes an input; undefined where it is read or refused in words. */
export async function faultOf(target: Target, input: Buffer): Promise<string | undefined> {
  const { fault, isSlow } = await readOnce(target, input);
  return fault ?? (isSlow ? await costFault(target, input) : undefined);
}

interface Reading {
  readonly fault: string | undefined;
  /** Whether its cost has to be looked at. */
  readonly isSlow: boolean;
}

export async function readOnce({ run }: Target, input: Buffer): Promise<Reading> {
  const sinceMs = performance.now();
  const fault = await inTime(run(input).then(() => undefined, faultInWords));
  return { fault, isSlow: performance.now() - sinceMs > slowMs };
}

/** What is wrong with the cost of an input. */
export async function costFault({ run }: Target, input: Buffer): Promise<string | undefined> {
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
