declare global {
  /** How often each place of our code ran, in a bundle that `instrument.js` made. */
  var hits: Uint8Array;
}

/** Which places have run, and about how often. */
export class CoveredCode {
  readonly #hits = globalThis.hits;
  /** Four places in one number, since nearly all are 0. */
  readonly #fours = new Uint32Array(this.#hits.buffer);
  readonly #seen = new Uint8Array(this.#hits.length);

  /** The number of places that have run. */
  get places(): number {
    return this.#seen.reduce((count, often) => count + Number(often > 0), 0);
  }

  /** Forgets what has run so far. */
  begin(): void {
    this.#hits.fill(0);
  }

  /** What ran since `begin` as never before: a place, or a place that ran far more often. */
  takeNew(): 'places' | 'repetitions' | undefined {
    let found: 'places' | 'repetitions' | undefined;
    for (let four = 0; four < this.#fours.length; four += 1) {
      if (this.#fours[four] === 0) continue;
      for (let place = four * 4; place < four * 4 + 4; place += 1) {
        const often = howOften(this.#hits[place] ?? 0);
        const seen = this.#seen[place] ?? 0;
        if ((seen | often) === seen) continue;
        if (seen === 0) found = 'places';
        else found ??= 'repetitions';
        this.#seen[place] = seen | often;
      }
    }
    return found;
  }
}

/** One bit for each order of magnitude. */
function howOften(count: number): number {
  return count === 0 ? 0 : 1 << (31 - Math.clz32(count));
}
