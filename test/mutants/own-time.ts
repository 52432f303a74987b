import { performance } from 'node:perf_hooks';

/** What a process has used of the time, in milliseconds. */
export interface TimesMs {
  /** On the clock. */
  readonly wall: number;
  /** Of processors, in all its threads. */
  readonly processor: number;
  /** In which it waited for a timer, a file or another process. */
  readonly idle: number;
}

/** So many times longer than it works and waits may a process take, however busy the machine is. */
const shareLeast = 1 / 20;

export function timesMs(): TimesMs {
  const { user, system } = process.cpuUsage();
  return {
    wall: performance.now(),
    processor: (user + system) / 1_000,
    idle: performance.eventLoopUtilization().idle,
  };
}

/**
 * How long this process has worked and waited since then, in milliseconds: less than what has passed on a busy machine,
 * where others have the processor meanwhile.
 */
export function ownMsSince(before: TimesMs, now = timesMs()): number {
  const wall = now.wall - before.wall;
  const own = now.processor - before.processor + now.idle - before.idle;
  return Math.min(wall, Math.max(own, wall * shareLeast));
}
