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

/**
 * Runs `work` on each value of `source` with at most `width` of them under way, and yields the results in
 * the order of the source. Takes no new value before there is room for it. When the consumer leaves early or
 * one piece of work throws, what is under way is awaited, so nothing is left running unobserved.
 */
export async function* mapConcurrently<T, R>(
  source: AsyncIterable<T>,
  width: number,
  work: (value: T) => Promise<R>,
): AsyncGenerator<R> {
  const underway: Promise<R>[] = [];
  try {
    for await (const value of source) {
      const piece = work(value);
      // A rejection is reported when its turn comes; until then it must not count as unhandled.
      piece.catch(() => undefined);
      underway.push(piece);
      if (underway.length >= width) yield await (underway.shift() as Promise<R>);
    }
    while (underway.length > 0) yield await (underway.shift() as Promise<R>);
  } finally {
    await Promise.allSettled(underway);
  }
}
