/** How many requests are in flight at the start, at the least, and at the most. */
export const limitBounds = { start: 8, least: 2, most: 64 } as const;

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

/** `answersNeeded` good answers to one operation. */
export interface Round {
  readonly operation: string;
  /** The mean of the round. */
  readonly latencyMs: number;
  /** The most requests that were in flight; below the limit where their source is what is slow. */
  readonly inFlight: number;
}

/**
 * The search for the limit of the greatest throughput: a pattern search on the logarithm of the limit. Requests in
 * flight divided by latency are throughput (Little's law), so two limits are compared by the latencies measured at
 * each, whatever the service takes by itself. It starts by doubling. A limit that gets more done becomes the best one,
 * and the next step is twice as long; any other sends the search back to the best one, to try the other direction with
 * half the step. Strain halves the limit. From there it is doubled back to the best one, which loses a tenth where
 * strain comes again at once; then nothing is tried for so long that what a try may cost stays a small share of the
 * time. Times are milliseconds of one clock.
 */
export class LimitSearch {
  /** How many requests may be in flight; the whole part applies. */
  limit: number = limitBounds.start;
  best: number = limitBounds.start;
  /** How long an answer takes at the best limit, by operation, where it was measured. */
  bestMs = new Map<string, number>();
  /**
   * At the best limit to measure it, at another limit to compare the two, or on the way down and back up after a sign
   * of strain.
   */
  phase: 'measuring' | 'trying' | 'falling' | 'rising' = 'measuring';
  /** Rounds that are still measured at the best limit. */
  roundsLeft = 1;
  /** The next limit to try is the best one multiplied or divided by this. */
  factor = 2;
  isUpward = true;
  /** Before this no other limit is tried. */
  quietUntilMs = Number.NEGATIVE_INFINITY;
  /** Strain before this follows the last so soon that the best limit itself is too high. */
  suspectUntilMs = Number.NEGATIVE_INFINITY;
  #strainedAtMs = 0;

  get isRecovering(): boolean {
    return this.phase === 'falling' || this.phase === 'rising';
  }

  /** How many answers make a round: half the step takes four times as many for its effect to rise above chance. */
  get answersNeeded(): number {
    const forPrecision = this.isRecovering ? 0 : answers.perOctave / Math.log2(this.factor) ** 2;
    return Math.ceil(Math.max(answers.least, this.limit, forPrecision));
  }

  /** A sign of strain came. */
  strained(atMs: number): void {
    const { limit, best, phase } = this;
    if (!this.isRecovering) this.#strainedAtMs = atMs;
    if (phase === 'trying' && limit > best) this.#shorten();
    // While the limit still falls, the trouble may be any; a limit that strains again as soon as it is reached is too
    // high.
    else if (phase === 'rising' || (phase !== 'falling' && atMs < this.suspectUntilMs)) {
      this.best = bounded(Math.min(best, limit) * keptShare);
      this.factor = Math.min(this.factor, leastFactor ** 2);
    }
    this.#move('falling', limit / 2);
  }

  /** A round of answers is complete. */
  answered({ operation, inFlight, ...round }: Round, atMs: number): void {
    const latencyMs = Math.max(latencyLeastMs, round.latencyMs);
    if (this.isRecovering) this.#rise(atMs);
    else if (inFlight < this.limit / 2) {
      if (this.phase === 'trying') this.#rest();
    } else if (this.phase === 'trying') this.#compare(operation, latencyMs, atMs);
    else {
      // The mean of this round and those before evens out chance.
      const before = this.bestMs.get(operation) ?? latencyMs;
      this.bestMs.set(operation, (before + latencyMs) / 2);
      this.roundsLeft -= 1;
      if (this.roundsLeft <= 0) this.#tryNext(atMs);
    }
  }

  /** After a round without strain: twice as many at once, until the best limit is reached and bears a round. */
  #rise(atMs: number): void {
    const { limit, best } = this;
    if (limit < best) this.#move('rising', Math.min(best, 2 * limit));
    else {
      const costMs = atMs - this.#strainedAtMs;
      this.quietUntilMs = atMs + afterStrainTimes.quiet * costMs;
      this.suspectUntilMs = atMs + afterStrainTimes.suspicion * costMs;
      this.#rest();
    }
  }

  #compare(operation: string, latencyMs: number, atMs: number): void {
    const bestMs = this.bestMs.get(operation);
    const ratio = this.limit / this.best;
    const leastGain = (ratio - 1) * (ratio > 1 ? shares.gained : shares.lost);
    if (bestMs === undefined) this.#rest();
    else if (ratio * (bestMs / latencyMs) - 1 >= leastGain) {
      this.best = this.limit;
      this.bestMs = new Map([[operation, latencyMs]]);
      this.factor = Math.min(2, this.factor ** 2);
      this.#tryNext(atMs);
    } else {
      this.#shorten();
      this.isUpward = !this.isUpward;
      this.#rest();
    }
  }

  #tryNext(atMs: number): void {
    const { best, factor } = this;
    if (atMs < this.quietUntilMs) this.#rest();
    else {
      if (best >= limitBounds.most) this.isUpward = false;
      if (best <= limitBounds.least) this.isUpward = true;
      const target = this.isUpward ? Math.max(best + 1, best * factor) : Math.min(best - 1, best / factor);
      this.#move('trying', target);
    }
  }

  /** Back to the best limit. */
  #rest(): void {
    this.roundsLeft = this.factor > leastFactor ? 1 : restRounds;
    this.#move('measuring', this.best);
  }

  #move(phase: LimitSearch['phase'], limit: number): void {
    this.phase = phase;
    this.limit = bounded(limit);
  }

  #shorten(): void {
    this.factor = Math.max(leastFactor, Math.sqrt(this.factor));
  }
}

function bounded(limit: number): number {
  return Math.max(limitBounds.least, Math.min(limitBounds.most, limit));
}
