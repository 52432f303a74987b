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

/** The values of a stream of arrays one by one. */
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
  /** The number of pieces of work under way; a function is called before each piece. */
  readonly width: number | (() => number);
  /**
   * The number of results that may wait for an earlier one, as a multiple of `width`, those under way
   * included. Default: 1.
   */
  readonly windowWidths?: number;
}

/** The place of a piece of work among those under way. */
export interface PoolPlace {
  /** Frees the place while this piece does not need the concurrency limit. */
  readonly leave: () => void;
  /** Resolves once there is a free place; pieces that return get one before new ones. */
  readonly enter: () => Promise<void>;
}

/**
 * Runs `work` on each value of `source` and yields the results in the order of the source, as early as
 * possible. Takes a new value only when there is a free place. A slow piece delays the results after it, but
 * other work only once the window is full. A source that throws is treated as a last piece that failed. When
 * the consumer leaves early or a piece fails, pieces under way are awaited, so that none is left running.
 */
export async function* mapConcurrently<T, R>(
  source: AsyncIterable<T>,
  { width, windowWidths = 1 }: PoolBounds,
  work: (value: T, place: PoolPlace) => Promise<R>,
): AsyncGenerator<R> {
  const values = source[Symbol.asyncIterator]();
  const widthNow = () => (typeof width === 'number' ? width : width());
  const line = new Line<R>(widthNow);
  let isReading = false;
  let isEnded = false;
  const read = async () => {
    isReading = true;
    try {
      const { done, value } = await values.next();
      // The consumer may have left while the source was read.
      if (done) isEnded = true;
      if (!isEnded) line.add((place) => work(value, place));
    } catch (error) {
      isEnded = true;
      line.add(() => Promise.reject(error));
    }
    isReading = false;
    line.wake();
  };
  try {
    while (!isEnded || line.length > 0) {
      const isRoom = line.hasRoom && line.length < widthNow() * windowWidths;
      if (isRoom && !isEnded && !isReading) void read();
      if (line.isFirstSettled) yield await line.takeFirst();
      else await line.change();
    }
  } finally {
    isEnded = true;
    await line.settled();
    await values.return?.();
  }
}

/** Runs functions, at most `width` at once; the others wait for their turn in order of arrival. */
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

/** Pieces of work in the order of their beginning, with at most `width` under way. */
class Line<R> {
  readonly #pieces: { readonly result: Promise<R>; isSettled: boolean }[] = [];
  readonly #returning: (() => void)[] = [];
  readonly #width: () => number;
  #underWay = 0;
  #wake: () => void = () => undefined;

  constructor(width: () => number) {
    this.#width = width;
  }

  get length(): number {
    return this.#pieces.length;
  }

  get hasRoom(): boolean {
    return this.#underWay < this.#width();
  }

  get isFirstSettled(): boolean {
    return this.#pieces[0]?.isSettled ?? false;
  }

  add(begin: (place: PoolPlace) => Promise<R>): void {
    let isPlaced = true;
    this.#underWay += 1;
    const leave = () => {
      if (!isPlaced) return;
      isPlaced = false;
      this.#underWay -= 1;
      this.#letIn();
      this.wake();
    };
    const enter = async () => {
      if (isPlaced) return;
      await new Promise<void>((resolve) => {
        this.#returning.push(resolve);
        this.#letIn();
      });
      isPlaced = true;
    };
    const piece = { result: begin({ leave, enter }), isSettled: false };
    this.#pieces.push(piece);
    const settle = () => {
      piece.isSettled = true;
      leave();
      this.wake();
    };
    // A rejection is reported when its turn comes; until then it must not be reported as unhandled.
    piece.result.then(settle, settle);
  }

  takeFirst(): Promise<R> {
    return (this.#pieces.shift() as { readonly result: Promise<R> }).result;
  }

  /** Resolves at the next `wake`. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#pieces.map(({ result }) => result));
  }

  #letIn(): void {
    while (this.#returning.length > 0 && this.hasRoom) {
      this.#underWay += 1;
      this.#returning.shift()?.();
    }
  }
}
