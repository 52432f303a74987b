/** Requests in flight: initially, minimum and maximum. */
export const limitBounds = { start: 8, min: 2, max: 64 } as const;

/** The finest step: about 9 %. */
const leastFactor = 2 ** (1 / 8);

/** Rounds at the best limit between two attempts of the finest step. */
const restRounds = 4;

/** Answers per round: enough to distinguish a limit from its double if latencies vary by a third, and the minimum. */
const answers = { perOctave: 8, min: 16 } as const;

/**
 * Shares of the maximum throughput that a step could gain or lose: the required gain of a higher limit, and the
 * acceptable loss of a lower one.
 */
const shares = { gained: 0.2, lost: 0.1 } as const;

/** Shorter answers mostly wait for this program, so fewer requests at once would look as good. */
const latencyLeastMs = 5;

/**
 * Multiples of the time that strain cost: the time without attempts after it, and the time during which the best limit
 * is under suspicion.
 */
const afterStrainTimes = { quiet: 16, suspicion: 4 } as const;

/** The share of the best limit that remains after strain while it is under suspicion. */
const keptShare = 0.9;

/** One round: `answersNeeded` good answers to one operation. */
export interface Round {
  readonly operation: string;
  /** The mean latency of the round. */
  readonly latencyMs: number;
  /** The maximum number of requests in flight; below the limit if their source is slow. */
  readonly inFlight: number;
}

/**
 * The search for the limit with the highest throughput: a pattern search on the logarithm of the limit. Throughput is
 * requests in flight divided by latency (Little's law), so two limits are compared by their measured latencies,
 * regardless of the service's own latency. The search starts by doubling. A limit with more throughput becomes the best
 * one, and the next step is twice as long. Any other returns the search to the best one, to try the other direction
 * with half the step. Strain halves the limit. It is then doubled back up to the best one, which loses a tenth if
 * strain returns at once. After that, nothing is tried for long enough that the cost of attempts stays a small share of
 * the time. Times are milliseconds of one clock.
 */
export class LimitSearch {
  /** The maximum number of requests in flight; the integer part applies. */
  limit: number = limitBounds.start;
  best: number = limitBounds.start;
  /** The mean latency at the best limit by operation, if measured. */
  bestMs = new Map<string, number>();
  /**
   * `measuring` the best limit, `trying` another one for comparison, or `falling` and `rising` after a sign of strain.
   */
  phase: 'measuring' | 'trying' | 'falling' | 'rising' = 'measuring';
  /** Remaining rounds to measure at the best limit. */
  roundsLeft = 1;
  /** The next limit to try is the best one multiplied or divided by this factor. */
  factor = 2;
  isUpward = true;
  /** No other limit is tried before this instant. */
  quietUntilMs = Number.NEGATIVE_INFINITY;
  /** Strain before this instant follows the previous one so soon that the best limit itself is too high. */
  suspectUntilMs = Number.NEGATIVE_INFINITY;
  #strainedAtMs = 0;

  get isRecovering(): boolean {
    return this.phase === 'falling' || this.phase === 'rising';
  }

  /** Answers per round. Half the step needs four times as many for its effect to rise above chance. */
  get answersNeeded(): number {
    const forPrecision = this.isRecovering ? 0 : answers.perOctave / Math.log2(this.factor) ** 2;
    return Math.ceil(Math.max(answers.min, this.limit, forPrecision));
  }

  /** Handles a sign of strain. */
  strained(atMs: number): void {
    const { limit, best, phase } = this;
    if (!this.isRecovering) this.#strainedAtMs = atMs;
    if (phase === 'trying' && limit > best) this.#shorten();
    // While the limit still falls, strain may have any cause. A limit that strains again as soon as it is reached is
    // too high.
    else if (phase === 'rising' || (phase !== 'falling' && atMs < this.suspectUntilMs)) {
      this.best = bounded(Math.min(best, limit) * keptShare);
      this.factor = Math.min(this.factor, leastFactor ** 2);
    }
    this.#move('falling', limit / 2);
  }

  /** Handles a complete round of answers. */
  answered({ operation, inFlight, ...round }: Round, atMs: number): void {
    const latencyMs = Math.max(latencyLeastMs, round.latencyMs);
    if (this.isRecovering) this.#rise(atMs);
    else if (inFlight < this.limit / 2) {
      if (this.phase === 'trying') this.#rest();
    } else if (this.phase === 'trying') this.#compare(operation, latencyMs, atMs);
    else {
      // Averaging with earlier rounds evens out chance.
      const before = this.bestMs.get(operation) ?? latencyMs;
      this.bestMs.set(operation, (before + latencyMs) / 2);
      this.roundsLeft -= 1;
      if (this.roundsLeft <= 0) this.#tryNext(atMs);
    }
  }

  /** Doubles the limit after a round without strain, until the best limit is reached and passes a round. */
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
      if (best >= limitBounds.max) this.isUpward = false;
      if (best <= limitBounds.min) this.isUpward = true;
      const target = this.isUpward ? Math.max(best + 1, best * factor) : Math.min(best - 1, best / factor);
      this.#move('trying', target);
    }
  }

  /** Returns to the best limit. */
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
  return Math.max(limitBounds.min, Math.min(limitBounds.max, limit));
}
