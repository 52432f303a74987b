import { fuzzHits } from './tracing.ts';

/** The new effect of an input: a step, a step an order of magnitude more often, or a closer comparison. */
export type Novelty = 'steps' | 'repetitions' | 'comparisons';

interface Found {
  readonly novelty: Novelty | undefined;
  readonly steps: number;
}

/** Records executed steps between places, the magnitude of their counts, and how close comparisons came. */
export class CoveredCode {
  /** Four counts in one number, since nearly all are 0. */
  readonly #fours = new Uint32Array(fuzzHits.buffer);
  readonly #seen = new Uint8Array(fuzzHits.length);

  /** The number of steps executed so far. */
  get steps(): number {
    return this.#seen.subarray(0, fuzzHits.length / 2).reduce((count, often) => count + Number(often > 0), 0);
  }

  /** Resets the counts of the current input. */
  begin(): void {
    fuzzHits.fill(0);
  }

  /** Records the steps since `begin`; returns their number and the most important novelty. */
  takeNew(): Found {
    let novelty: Novelty | undefined;
    let steps = 0;
    for (let four = 0; four < this.#fours.length; four += 1) {
      if (this.#fours[four] === 0) continue;
      for (let at = four * 4; at < four * 4 + 4; at += 1) {
        const often = howOften(fuzzHits[at] ?? 0);
        const isStep = at < fuzzHits.length / 2;
        if (isStep && often > 0) steps += 1;
        const seen = this.#seen[at] ?? 0;
        if ((seen | often) === seen) continue;
        this.#seen[at] = seen | often;
        if (!isStep) novelty ??= 'comparisons';
        else if (seen === 0) novelty = 'steps';
        else if (novelty !== 'steps') novelty = 'repetitions';
      }
    }
    return { novelty, steps };
  }
}

/** One bit for each order of magnitude. */
function howOften(count: number): number {
  return count === 0 ? 0 : 1 << (31 - Math.clz32(count));
}
