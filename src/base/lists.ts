/** `values` as an asynchronous stream. */
export async function* streamOf<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

/** `values` in runs of at most `size`, in order. */
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

/** How much a pool takes on at once. */
export interface PoolBounds {
  /** How many pieces of work may be under way; asked anew before each one where it changes. */
  readonly width: number | (() => number);
  /** How many widths of results may wait for an earlier one, those under way included; 1 where it is left out. */
  readonly windowWidths?: number;
}

/**
 * Runs `work` on each value of `source` and yields the results in the order of the source, each as soon as it and those
 * before it are there. Takes a new value only when there is room for it. A slow piece holds back the results behind it, but
 * no other work before the window is full. A source that throws counts as a last piece that failed. When the consumer
 * leaves early or a piece fails, what is under way is awaited, so nothing is left running unobserved.
 */
export async function* mapConcurrently<T, R>(
  source: AsyncIterable<T>,
  { width, windowWidths = 1 }: PoolBounds,
  work: (value: T) => Promise<R>,
): AsyncGenerator<R> {
  const values = source[Symbol.asyncIterator]();
  const line = new Line<R>();
  let isReading = false;
  let isEnded = false;
  const read = async () => {
    isReading = true;
    try {
      const { done, value } = await values.next();
      // The consumer may have left while the source was read.
      if (done) isEnded = true;
      if (!isEnded) line.add(work(value));
    } catch (error) {
      isEnded = true;
      line.add(Promise.reject(error));
    }
    isReading = false;
    line.wake();
  };
  try {
    while (!isEnded || line.length > 0) {
      const widthNow = typeof width === 'number' ? width : width();
      const isRoom = line.underWay < widthNow && line.length < widthNow * windowWidths;
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

/** Runs what it is given, at most `width` pieces at once; the others wait for their turn, in the order they came. */
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

/** Pieces of work in the order in which they began. */
class Line<R> {
  readonly #pieces: { readonly result: Promise<R>; isSettled: boolean }[] = [];
  #wake: () => void = () => undefined;
  underWay = 0;

  get length(): number {
    return this.#pieces.length;
  }

  get isFirstSettled(): boolean {
    return this.#pieces[0]?.isSettled ?? false;
  }

  add(result: Promise<R>): void {
    const piece = { result, isSettled: false };
    this.#pieces.push(piece);
    this.underWay += 1;
    const settle = () => {
      piece.isSettled = true;
      this.underWay -= 1;
      this.wake();
    };
    // A rejection is reported when its turn comes; until then it must not count as unhandled.
    result.then(settle, settle);
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
}
