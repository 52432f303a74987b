import type { Random } from '../../src/base/random.ts';

/** What was measured of one process; seconds and bytes of one record, unless named otherwise. */
export interface Costs {
  /** Of the program, whatever it does. */
  readonly startSeconds: number;
  /** To read a record and look it up in the journal, at every start. */
  readonly checkSeconds: number;
  /** To send a record, besides. */
  readonly sendSeconds: number;
  /** To read a record of another shard. */
  readonly elsewhereSeconds: number;
  readonly journalBytes: number;
}

/** An import in shards, each on a machine of its own. */
export interface Import {
  readonly records: number;
  readonly shards: number;
  /** Whether each shard is given a file of its own records alone. */
  readonly isSplit: boolean;
}

/** What is around the machines. */
export interface Surroundings {
  /** The limit of the service, of which each shard takes the same share: `--rate R --shard i/n`. */
  readonly requestsPerSecond: number;
  /** The mean time until a machine is lost; infinite where none is. */
  readonly secondsToLoss: number;
  /** From the loss of a machine until its shard starts on another. */
  readonly restartSeconds: number;
  /** The time that the service takes for a request. */
  readonly answerSeconds: number;
}

/** What became of an import. */
export interface Simulated {
  /** Until the last shard ended. */
  readonly seconds: number;
  /** Processor time of all shards. */
  readonly cpuSeconds: number;
  readonly restarts: number;
  /** Records of requests that were under way when a machine was lost. */
  readonly unknown: number;
  /** Whether it was given up after a year. */
  readonly isEndless: boolean;
}

export const recordsPerRequest = 100;
/** An import that takes longer is given up. */
const secondsMaximum = 365 * 86_400;

/** The work of one shard: what each start costs before the first request, and how fast requests leave after it. */
interface ShardWork {
  readonly readSeconds: number;
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly cpuSecondsPerRequest: number;
}

/** Runs an import in simulated time: every shard reads its input, sends, and does so again after each loss. */
export function simulateImport(
  { records, shards, isSplit }: Import,
  costs: Costs,
  around: Surroundings,
  random: Random,
): Simulated {
  const own = records / shards;
  const elsewhere = isSplit ? 0 : records - own;
  const cpuSecondsPerRequest = recordsPerRequest * costs.sendSeconds;
  const work: ShardWork = {
    readSeconds: costs.startSeconds + own * costs.checkSeconds + elsewhere * costs.elsewhereSeconds,
    requests: Math.ceil(own / recordsPerRequest),
    requestsPerSecond: Math.min(around.requestsPerSecond / shards, 1 / cpuSecondsPerRequest),
    cpuSecondsPerRequest,
  };
  const ends: Simulated[] = [];
  while (ends.length < shards && !ends.at(-1)?.isEndless) ends.push(simulateShard(work, around, random));
  const sum = (of: (end: Simulated) => number) => ends.reduce((total, end) => total + of(end), 0);
  return {
    seconds: Math.max(...ends.map(({ seconds }) => seconds)),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    restarts: sum(({ restarts }) => restarts),
    unknown: sum(({ unknown }) => unknown),
    isEndless: ends.some(({ isEndless }) => isEndless),
  };
}

function simulateShard(work: ShardWork, around: Surroundings, random: Random): Simulated {
  const { readSeconds, requests, requestsPerSecond, cpuSecondsPerRequest } = work;
  const inFlight = requestsPerSecond * around.answerSeconds;
  const end = { seconds: 0, cpuSeconds: 0, restarts: 0, unknown: 0, isEndless: false };
  let left = requests;
  while (end.seconds < secondsMaximum) {
    const lifeSeconds = -Math.log(1 - random()) * around.secondsToLoss;
    const sendingSeconds = left / requestsPerSecond;
    if (lifeSeconds >= readSeconds + sendingSeconds) {
      end.seconds += readSeconds + sendingSeconds;
      end.cpuSeconds += readSeconds + left * cpuSecondsPerRequest;
      return end;
    }
    const begun = Math.max(0, (lifeSeconds - readSeconds) * requestsPerSecond);
    // What was under way is reported as unknown, and not sent again.
    const lost = begun === 0 ? 0 : Math.min(Math.floor(inFlight + random()), left);
    const sent = Math.min(left, Math.floor(begun) + lost);
    left -= sent;
    end.unknown += lost * recordsPerRequest;
    end.cpuSeconds += Math.min(lifeSeconds, readSeconds) + sent * cpuSecondsPerRequest;
    end.seconds += lifeSeconds + around.restartSeconds;
    end.restarts += 1;
  }
  return { ...end, isEndless: true };
}
