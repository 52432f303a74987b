/** `values` as an asynchronous stream. */
export async function* streamOf<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

/** `values` in arrays of at most `size`, in order. */
export function chunk<T>(values: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < values.length; start += size) chunks.push(values.slice(start, start + size));
  return chunks;
}

/** Yields the values of a stream of arrays one by one. */
export async function* flatten<T>(source: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const values of source) yield* values;
}

/** Regroups a stream of arrays into arrays of exactly `size`; the last one may be shorter. */
export async function* regroup<T>(source: AsyncIterable<readonly T[]>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const values of source) {
    for (const value of values) {
      group.push(value);
      if (group.length === size) {
        yield group;
        group = [];
      }
    }
  }
  if (group.length > 0) yield group;
}

/** The concurrency of a pool. */
interface PoolBounds {
  /** Maximum pieces of work in progress; a function is called before each piece. */
  readonly width: number | (() => number);
  /**
   * Maximum results that wait for an earlier one, as a multiple of `width`, including pieces in progress. Default: 1.
   */
  readonly windowWidths?: number;
  /**
   * If true, a piece that leaves its place makes room at once, even while the consumer is busy, and results that are
   * ready at the same time are yielded together.
   */
  readonly isEager?: boolean;
}

/** The place of a piece of work within the concurrency limit. */
export interface PoolPlace {
  /** Frees the place while this piece does not count towards the limit. */
  readonly leave: () => void;
  /** Resolves once a place is free; returning pieces get one before new ones. */
  readonly enter: () => Promise<void>;
  /** Frees the place of a slow piece; many results may wait for its result. */
  readonly setAside: () => void;
}

/** Maximum results that wait for a piece that was set aside. */
const asideWindow = 20_000;

/**
 * Runs `work` on each value of `source` and yields the results in the order of the source, as early as possible. Takes
 * a new value only when a place is free. A slow piece delays later results, but delays other work only once the window
 * is full. An error of the source counts as a last piece that failed. If the consumer leaves early or a piece fails,
 * pieces in progress are awaited, so that none keeps running.
 */
export async function* mapConcurrently<T, R>(
  source: AsyncIterable<T>,
  bounds: PoolBounds,
  work: (value: T, place: PoolPlace) => Promise<R>,
): AsyncGenerator<R> {
  async function* singles(): AsyncGenerator<readonly T[]> {
    for await (const value of source) yield [value];
  }
  yield* flatten(mapBatches(singles(), bounds, work));
}

/** As `mapConcurrently`, for batches of values; the values of one batch begin without a wait in between. */
export async function* mapBatches<T, R>(
  batches: AsyncIterable<Iterable<T>>,
  bounds: PoolBounds,
  work: (value: T, place: PoolPlace) => Promise<R>,
): AsyncGenerator<readonly R[]> {
  const line = new Line(batches, bounds, work);
  try {
    while (!line.isOver) {
      line.advance();
      const results = line.takeResults();
      if (results.length > 0) yield results;
      else if (!line.isOver) await line.change();
    }
  } finally {
    await line.close();
  }
}

/** Returns a function that runs work, at most `width` at once; others wait in order of arrival. */
export function limitWork(width: number | (() => number)): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const begin = () => {
    while (waiting.length > 0 && underWay < (typeof width === 'number' ? width : width())) {
      underWay += 1;
      waiting.shift()?.();
    }
  };
  return async (work) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      begin();
    });
    try {
      return await work();
    } finally {
      underWay -= 1;
      begin();
    }
  };
}

/** A piece of work that has begun. */
interface Piece<R> {
  end?: { readonly value: R } | { readonly error: unknown };
  isPlaced: boolean;
  isAside: boolean;
}

/** Pieces of work in order of their start, at most `width` of them in progress. */
class Line<T, R> {
  readonly #batches: AsyncIterator<Iterable<T>>;
  readonly #bounds: PoolBounds;
  readonly #work: (value: T, place: PoolPlace) => Promise<R>;
  readonly #pieces: Piece<R>[] = [];
  readonly #returning: (() => void)[] = [];
  #batch: Iterator<T> = [].values();
  #underWay = 0;
  #isReading = false;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(
    batches: AsyncIterable<Iterable<T>>,
    bounds: PoolBounds,
    work: (value: T, place: PoolPlace) => Promise<R>,
  ) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#bounds = bounds;
    this.#work = work;
  }

  get isOver(): boolean {
    return this.#isEnded && this.#pieces.length === 0;
  }

  /** Begins as many pieces as there is room for, and reads more values if none are left. */
  advance(): void {
    const { windowWidths = 1 } = this.#bounds;
    while (!this.#isEnded && !this.#isReading && this.#hasPlace) {
      const window = this.#pieces[0]?.isAside ? asideWindow : this.#width * windowWidths;
      if (this.#pieces.length >= window) return;
      const { done, value } = this.#batch.next();
      if (done) void this.#read();
      else void this.#begin(value);
    }
  }

  /**
   * Removes and returns the finished results up to the first unfinished piece. @throws the error of the first piece.
   */
  takeResults(): readonly R[] {
    const results: R[] = [];
    for (const { end } of this.#pieces) {
      if (end === undefined || (results.length > 0 && (!this.#bounds.isEager || 'error' in end))) break;
      if ('error' in end) throw end.error;
      results.push(end.value);
    }
    this.#pieces.splice(0, results.length);
    return results;
  }

  /** Resolves when a place becomes free, a piece ends, or more values were read. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Waits for pieces in progress. */
  async close(): Promise<void> {
    this.#isEnded = true;
    while (this.#pieces.some(({ end }) => end === undefined)) await this.change();
    await this.#batches.return?.();
  }

  get #width(): number {
    const { width } = this.#bounds;
    return typeof width === 'number' ? width : width();
  }

  get #hasPlace(): boolean {
    return this.#underWay < this.#width;
  }

  async #begin(value: T): Promise<void> {
    const piece: Piece<R> = { isPlaced: true, isAside: false };
    this.#pieces.push(piece);
    this.#underWay += 1;
    const leave = () => {
      this.#leave(piece);
      if (this.#bounds.isEager) this.advance();
    };
    const setAside = () => {
      piece.isAside = true;
      leave();
    };
    try {
      piece.end = { value: await this.#work(value, { leave, enter: () => this.#enter(piece), setAside }) };
    } catch (error) {
      piece.end = { error };
    }
    this.#leave(piece);
    this.#wake();
  }

  #leave(piece: Piece<R>): void {
    if (!piece.isPlaced) return;
    piece.isPlaced = false;
    this.#underWay -= 1;
    this.#letIn();
    this.#wake();
  }

  async #enter(piece: Piece<R>): Promise<void> {
    if (piece.isPlaced) return;
    await new Promise<void>((resolve) => {
      this.#returning.push(resolve);
      this.#letIn();
    });
    piece.isPlaced = true;
  }

  #letIn(): void {
    while (this.#returning.length > 0 && this.#hasPlace) {
      this.#underWay += 1;
      this.#returning.shift()?.();
    }
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      const { done, value } = await this.#batches.next();
      if (done) this.#isEnded = true;
      else this.#batch = value[Symbol.iterator]();
    } catch (error) {
      this.#isEnded = true;
      this.#pieces.push({ end: { error }, isPlaced: false, isAside: false });
    }
    this.#isReading = false;
    this.#wake();
  }
}
