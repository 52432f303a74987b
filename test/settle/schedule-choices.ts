/** A sequence of numbers below 256, each used once; 0 after the last. */
export class Choices {
  readonly #values: Iterator<number>;

  constructor(values: Iterable<number>) {
    this.#values = values[Symbol.iterator]();
  }

  /**
   * A number below `end`, which is at most 256. 0 maps to 0, so that fewer and smaller numbers make a simpler choice.
   */
  below(end: number): number {
    const { value = 0 } = this.#values.next();
    return Math.floor((value * end) / 256);
  }
}
