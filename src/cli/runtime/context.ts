import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Environment } from '../../config/folders.ts';
import type { Streams } from '../../output/terminal/streams.ts';

/** What a command may touch of the world outside; tests bring their own. */
export interface Context {
  readonly streams: Streams;
  readonly stdin: NodeJS.ReadableStream;
  readonly env: Environment;
  /** The working folder. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted by the first Ctrl-C: take no new work, finish what is under way. */
  readonly stopping: AbortSignal;
  /** Aborted by the second one, in the last instant of the process; without it, nothing is said then. */
  readonly leaving?: AbortSignal;
}
