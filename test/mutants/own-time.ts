import { performance } from 'node:perf_hooks';

/** The time used by a process, in milliseconds. */
export interface TimesMs {
  readonly wall: number;
  /** Processor time of all its threads. */
  readonly processor: number;
  /** Time spent waiting for a timer, a file or another process. */
  readonly idle: number;
}

/** At least this share of the elapsed time counts as its own, however busy the machine is. */
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
 * The working and waiting time of this process since then, in milliseconds. On a busy machine it is less than the
 * elapsed time, because other processes use the processor.
 */
export function ownMsSince(before: TimesMs, now = timesMs()): number {
  const wall = now.wall - before.wall;
  const own = now.processor - before.processor + now.idle - before.idle;
  return Math.min(wall, Math.max(own, wall * shareLeast));
}
