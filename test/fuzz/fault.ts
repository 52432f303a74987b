import type { Target } from './targets.ts';
import { inputMs } from './watchdog.ts';

/** The time from which the cost of an input is checked, in milliseconds. */
const slowMs = 100;
/** The memory limit of the process, in bytes. */
const memoryMaximum = 800 * 1024 * 1024;
/** The time limit of a read that does not end, in milliseconds. */
const waitMs = 20_000;

/** The fault of a target on an input; undefined if the input is read or refused with a message. */
export async function faultOf(target: Target, input: Buffer): Promise<string | undefined> {
  const { fault, isSlow } = await readOnce(target, input);
  return fault ?? (isSlow ? await costFault(target, input) : undefined);
}

interface Reading {
  readonly fault: string | undefined;
  /** True if its cost must be checked. */
  readonly isSlow: boolean;
}

export async function readOnce({ run }: Target, input: Buffer): Promise<Reading> {
  const sinceMs = performance.now();
  const fault = await inTime(run(input).then(() => undefined, faultInWords));
  return { fault, isSlow: performance.now() - sinceMs > slowMs };
}

/** The fault in the cost of an input, if any. */
export async function costFault({ run }: Target, input: Buffer): Promise<string | undefined> {
  const bytes = process.memoryUsage.rss();
  if (bytes > memoryMaximum) return `it takes ${bytes} bytes of memory`;
  // Other processes may have slowed it down, so the processor time of a second read decides.
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
