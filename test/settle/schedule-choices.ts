/** Numbers below 256, used up one after the other; 0 once they are. */
export class Choices {
  readonly #values: Iterator<number>;

  constructor(values: Iterable<number>) {
    this.#values = values[Symbol.iterator]();
  }

  /** A number below `end`, which is at most 256; 0 stays 0, so that fewer and smaller numbers make a simpler choice. */
  below(end: number): number {
    const { value = 0 } = this.#values.next();
    return Math.floor((value * end) / 256);
  }
}
