/** How many requests are in flight at the start, at the least, and at the most. */
export const limitBounds = { start: 8, least: 2, most: 64 } as const;

/**
 * A limit, and how long an answer takes with that many requests in flight: milliseconds by operation, where it was
 * measured.
 */
interface Level {
  readonly limit: number;
  readonly latencyMs: ReadonlyMap<string, number>;
}

/**
 * At the best limit to measure it, at another limit to compare the two, or on the way down and back up after a sign of
 * strain.
 */
type Phase =
  | { readonly kind: 'measuring'; readonly roundsLeft: number }
  | { readonly kind: 'trying' }
  | { readonly kind: 'recovering'; readonly sinceMs: number; readonly isRising: boolean };

/** The search for the limit of the greatest throughput. Times are milliseconds of one clock. */
export interface LimitSearch {
  /** How many requests may be in flight; the whole part applies. */
  readonly limit: number;
  readonly best: Level;
  readonly phase: Phase;
  /** The next limit to try is the best one multiplied or divided by this. */
  readonly factor: number;
  readonly direction: 'up' | 'down';
  /** Before this no other limit is tried. */
  readonly quietUntilMs: number;
  /** Strain before this follows the last so soon that the best limit itself is too high. */
  readonly suspectUntilMs: number;
}

export const firstSearch: LimitSearch = {
  limit: limitBounds.start,
  best: { limit: limitBounds.start, latencyMs: new Map() },
  phase: { kind: 'measuring', roundsLeft: 1 },
  factor: 2,
  direction: 'up',
  quietUntilMs: Number.NEGATIVE_INFINITY,
  suspectUntilMs: Number.NEGATIVE_INFINITY,
};

/** What was learned at a limit: a sign of strain, or `answersNeeded` good answers to one operation. */
export type Round =
  | { readonly kind: 'strain'; readonly atMs: number }
  | {
      readonly kind: 'answers';
      readonly atMs: number;
      readonly operation: string;
      /** The mean of the round. */
      readonly latencyMs: number;
      /** The most requests that were in flight; below the limit where their source is what is slow. */
      readonly inFlight: number;
    };

/** The finest step: some 9 %. */
const leastFactor = 2 ** (1 / 8);

/** Rounds at the best limit between two tries of the finest step. */
const restRounds = 4;

/**
 * Answers that distinguish a limit from its double where latencies vary by a third, and those of the shortest round.
 */
const answers = { perOctave: 8, least: 16 } as const;

/**
 * Of the throughput that a step could gain or lose at most: a higher limit has to gain this share, a lower one may lose
 * that.
 */
const shares = { gained: 0.2, lost: 0.1 } as const;

/** Shorter answers mostly wait for this program, so that fewer at once would look as good. */
const latencyLeastMs = 5;

/**
 * In multiples of the time that strain cost: how long nothing is tried after it, and how long the best limit is under
 * suspicion.
 */
const afterStrainTimes = { quiet: 16, suspicion: 4 } as const;

/** What the best limit keeps when strain comes while it is under suspicion. */
const keptShare = 0.9;

/**
 * The search after one more round: a pattern search on the logarithm of the limit. Requests in flight divided by
 * latency are throughput (Little's law), so two limits are compared by the latencies measured at each, whatever the
 * service takes by itself. It starts by doubling. A limit that gets more done becomes the best one, and the next step
 * is twice as long; any other sends the search back to the best one, to try the other direction with half the step.
 * Strain halves the limit. From there it is doubled back to the best one, which loses a tenth where strain comes again
 * at once; then nothing is tried for so long that what a try may cost stays a small share of the time.
 */
export function nextLimit(search: LimitSearch, round: Round): LimitSearch {
  if (round.kind === 'strain') return afterStrain(search, round.atMs);
  const { phase, limit } = search;
  if (phase.kind === 'recovering') return risen(search, phase.sinceMs, round.atMs);
  if (round.inFlight < limit / 2) return phase.kind === 'trying' ? atBest(search) : search;
  const latencyMs = Math.max(latencyLeastMs, round.latencyMs);
  const measured = { ...round, latencyMs };
  return phase.kind === 'trying' ? compared(search, measured) : rested(search, phase.roundsLeft, measured);
}

/** How many answers make a round: half the step takes four times as many for its effect to rise above chance. */
export function answersNeeded({ limit, factor, phase }: LimitSearch): number {
  const forPrecision = phase.kind === 'recovering' ? 0 : answers.perOctave / Math.log2(factor) ** 2;
  return Math.ceil(Math.max(answers.least, limit, forPrecision));
}

type Answers = Extract<Round, { readonly kind: 'answers' }>;

function afterStrain(search: LimitSearch, atMs: number): LimitSearch {
  const { limit, best, phase, suspectUntilMs, factor } = search;
  const sinceMs = phase.kind === 'recovering' ? phase.sinceMs : atMs;
  const halved = {
    ...search,
    limit: bounded(limit / 2),
    phase: { kind: 'recovering', sinceMs, isRising: false },
  } as const;
  if (phase.kind === 'trying' && limit > best.limit) return { ...halved, factor: closer(factor) };
  // While the limit still falls, the trouble may be any; a limit that strains again as soon as it is reached is too
  // high.
  const isTooHigh = phase.kind === 'recovering' ? phase.isRising : atMs < suspectUntilMs;
  if (!isTooHigh) return halved;
  const lowered = bounded(Math.min(best.limit, limit) * keptShare);
  return { ...halved, best: { ...best, limit: lowered }, factor: Math.min(factor, leastFactor ** 2) };
}

/** After a round without strain: twice as many at once, until the best limit is reached and bears a round. */
function risen(search: LimitSearch, sinceMs: number, atMs: number): LimitSearch {
  const { limit, best } = search;
  if (limit < best.limit) {
    const higher = Math.min(best.limit, 2 * limit);
    return { ...search, limit: higher, phase: { kind: 'recovering', sinceMs, isRising: true } };
  }
  const costMs = atMs - sinceMs;
  return {
    ...atBest(search),
    quietUntilMs: atMs + afterStrainTimes.quiet * costMs,
    suspectUntilMs: atMs + afterStrainTimes.suspicion * costMs,
  };
}

/** After a round at the best limit; the mean of it and those before evens out chance. */
function rested(
  search: LimitSearch,
  roundsLeft: number,
  { operation, latencyMs, atMs }: Answers,
): LimitSearch {
  const before = search.best.latencyMs.get(operation) ?? latencyMs;
  const latencies = new Map(search.best.latencyMs).set(operation, (before + latencyMs) / 2);
  const measured = { ...search, best: { ...search.best, latencyMs: latencies } };
  return roundsLeft > 1
    ? { ...measured, phase: { kind: 'measuring', roundsLeft: roundsLeft - 1 } }
    : tryingNext(measured, atMs);
}

function compared(search: LimitSearch, { operation, latencyMs, atMs }: Answers): LimitSearch {
  const { limit, best, factor, direction } = search;
  const bestMs = best.latencyMs.get(operation);
  if (bestMs === undefined) return atBest(search);
  const full = limit / best.limit - 1;
  const gain = (limit / best.limit) * (bestMs / latencyMs) - 1;
  const isBetter = gain >= full * (full > 0 ? shares.gained : shares.lost);
  if (!isBetter) {
    return atBest({ ...search, factor: closer(factor), direction: direction === 'up' ? 'down' : 'up' });
  }
  const level = { limit, latencyMs: new Map([[operation, latencyMs]]) };
  return tryingNext({ ...search, best: level, factor: Math.min(2, factor ** 2) }, atMs);
}

function tryingNext(search: LimitSearch, atMs: number): LimitSearch {
  if (atMs < search.quietUntilMs) return atBest(search);
  const { limit } = search.best;
  const direction = limit >= limitBounds.most ? 'down' : limit <= limitBounds.least ? 'up' : search.direction;
  const target =
    direction === 'up'
      ? Math.max(limit + 1, limit * search.factor)
      : Math.min(limit - 1, limit / search.factor);
  return { ...search, direction, limit: bounded(target), phase: { kind: 'trying' } };
}

function atBest(search: LimitSearch): LimitSearch {
  const roundsLeft = search.factor > leastFactor ? 1 : restRounds;
  return { ...search, limit: search.best.limit, phase: { kind: 'measuring', roundsLeft } };
}

function closer(factor: number): number {
  return Math.max(leastFactor, Math.sqrt(factor));
}

function bounded(limit: number): number {
  return Math.max(limitBounds.least, Math.min(limitBounds.most, limit));
}
