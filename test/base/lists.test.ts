import { describe, expect, it } from 'vitest';
import { chunk, limitWork, mapConcurrently, regroup, streamOf } from '../../src/base/lists.ts';

async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

/** Lets everything run that waits for nothing but its turn. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('chunk', () => {
  it.each([
    [[], 3, []],
    [[1, 2, 3], 3, [[1, 2, 3]]],
    [[1, 2, 3, 4], 3, [[1, 2, 3], [4]]],
    [[1, 2], 1, [[1], [2]]],
  ])('cuts %j into runs of at most %i', (values, size, chunks) => {
    expect(chunk(values, size)).toEqual(chunks);
  });
});

describe('regroup', () => {
  it.each([
    [[], 2, []],
    [[[], []], 2, []],
    [[[1], [2, 3], [], [4, 5]], 2, [[1, 2], [3, 4], [5]]],
    [
      [[1, 2, 3, 4, 5, 6]],
      3,
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
  ])('turns %j into groups of %i', async (arrays, size, groups) => {
    expect(await collected(regroup(streamOf<number[]>(arrays), size))).toEqual(groups);
  });

  it('yields a group as soon as it is full', async () => {
    let taken = 0;
    async function* source() {
      for (const values of [[1, 2], [3]]) {
        taken += 1;
        yield values;
      }
    }
    const groups = regroup(source(), 2);
    expect(await groups.next()).toEqual({ done: false, value: [1, 2] });
    expect(taken).toBe(1);
  });
});

/** Work that ends when it is told to. */
function handHeldWork() {
  const started: number[] = [];
  const ends = new Map<number, { resolve: () => void; reject: (reason: Error) => void }>();
  const work = (value: number) => {
    started.push(value);
    return new Promise<string>((resolve, reject) => {
      ends.set(value, { resolve: () => resolve(`done ${value}`), reject });
    });
  };
  return {
    started,
    work,
    end: (value: number) => ends.get(value)?.resolve(),
    fail: (value: number, reason: Error) => ends.get(value)?.reject(reason),
  };
}

describe('mapConcurrently', () => {
  it('yields in the order of the source, whatever ends first', async () => {
    const { work, end } = handHeldWork();
    const results = collected(mapConcurrently(streamOf([1, 2, 3]), { width: 3 }, work));
    await settled();
    for (const value of [3, 2, 1]) end(value);
    expect(await results).toEqual(['done 1', 'done 2', 'done 3']);
  });

  it('never has more under way than its width, and takes no value before there is room', async () => {
    const { started, work, end } = handHeldWork();
    const results = collected(mapConcurrently(streamOf([1, 2, 3, 4, 5]), { width: 2 }, work));
    const afterEnd = async (value: number) => {
      end(value);
      await settled();
      return started.length;
    };
    await settled();
    expect(started).toEqual([1, 2]);
    expect(await afterEnd(1)).toBe(3);
    expect(await afterEnd(3)).toBe(3);
    expect(await afterEnd(2)).toBe(5);
    end(4);
    end(5);
    expect(await results).toHaveLength(5);
  });

  it('awaits what is under way when its consumer leaves early', async () => {
    const { started, work, end } = handHeldWork();
    const results = mapConcurrently(streamOf([1, 2, 3, 4]), { width: 3 }, work);
    const first = results.next();
    await settled();
    end(1);
    await first;
    let hasLeft = false;
    const left = results.return(undefined).then(() => {
      hasLeft = true;
    });
    await settled();
    expect(hasLeft).toBe(false);
    end(2);
    end(3);
    await left;
    expect(started).toEqual([1, 2, 3]);
  });

  it('throws what a piece of work threw when its turn comes, after the others have ended', async () => {
    const { started, work, end, fail } = handHeldWork();
    const results = mapConcurrently(streamOf([1, 2, 3, 4]), { width: 3 }, work);
    const first = results.next();
    await settled();
    fail(2, new Error('refused'));
    end(1);
    expect(await first).toEqual({ done: false, value: 'done 1' });
    let hasEnded = false;
    const second = results.next().catch((error: Error) => {
      hasEnded = true;
      return error.message;
    });
    await settled();
    expect(hasEnded).toBe(false);
    for (const value of started) end(value);
    expect(await second).toBe('refused');
    expect(await results.next()).toEqual({ done: true, value: undefined });
  });

  it('throws what the source threw, after what is under way has ended', async () => {
    const { work, end } = handHeldWork();
    async function* source() {
      yield 1;
      throw new Error('torn');
    }
    const results = collected(mapConcurrently(source(), { width: 2 }, work)).catch(
      (error: Error) => error.message,
    );
    await settled();
    end(1);
    expect(await results).toBe('torn');
  });
});

describe('the bounds of mapConcurrently', () => {
  it('continues behind a slow piece until the window is full', async () => {
    const { started, work, end } = handHeldWork();
    const results = collected(
      mapConcurrently(streamOf([1, 2, 3, 4, 5]), { width: 2, windowWidths: 2 }, work),
    );
    await settled();
    for (const value of [2, 3, 4]) {
      end(value);
      await settled();
    }
    expect(started).toEqual([1, 2, 3, 4]);
    end(1);
    await settled();
    expect(started).toEqual([1, 2, 3, 4, 5]);
    end(5);
    expect(await results).toEqual([1, 2, 3, 4, 5].map((value) => `done ${value}`));
  });

  it('yields a result that is there while the source is still read', async () => {
    async function* source() {
      yield 1;
      await new Promise(() => {});
    }
    const results = mapConcurrently(source(), { width: 2 }, async (value) => value);
    expect(await results.next()).toEqual({ done: false, value: 1 });
  });

  it('asks for a changing width before each piece', async () => {
    let width = 1;
    const { started, work, end } = handHeldWork();
    const results = collected(mapConcurrently(streamOf([1, 2, 3, 4, 5]), { width: () => width }, work));
    await settled();
    expect(started).toEqual([1]);
    width = 3;
    end(1);
    await settled();
    expect(started).toEqual([1, 2, 3, 4]);
    width = 1;
    for (const value of [2, 3]) end(value);
    await settled();
    expect(started).toHaveLength(4);
    for (const value of [4, 5]) {
      end(value);
      await settled();
    }
    expect(await results).toHaveLength(5);
  });

  it('begins nothing with what a slow source gives after its consumer has left', async () => {
    const { started, work, end } = handHeldWork();
    let give = () => {};
    async function* source() {
      yield 1;
      await new Promise<void>((resolve) => {
        give = resolve;
      });
      yield 2;
    }
    const results = mapConcurrently(source(), { width: 2 }, work);
    const first = results.next();
    await settled();
    end(1);
    await first;
    const left = results.return(undefined);
    give();
    await left;
    expect(started).toEqual([1]);
  });
});

describe('the place of a piece of mapConcurrently', () => {
  it('is taken by the next piece once it is left, and given back before anything new begins', async () => {
    const { started, work, end } = handHeldWork();
    const steps: string[] = [];
    const results = collected(
      mapConcurrently(streamOf([1, 2, 3, 4]), { width: 1, windowWidths: 3 }, async (value, place) => {
        await work(value);
        place.leave();
        steps.push(`${value} left`);
        await place.enter();
        steps.push(`${value} is back`);
        return value;
      }),
    );
    await settled();
    expect(started).toEqual([1]);
    end(1);
    await settled();
    expect({ started, steps }).toEqual({ started: [1, 2], steps: ['1 left', '1 is back'] });
    for (const value of [2, 3, 4]) {
      end(value);
      await settled();
    }
    expect(await results).toEqual([1, 2, 3, 4]);
  });

  it('is given back also when the consumer has left', async () => {
    const { work, end } = handHeldWork();
    const results = mapConcurrently(
      streamOf([1, 2, 3]),
      { width: 1, windowWidths: 3 },
      async (value, place) => {
        place.leave();
        await work(value);
        await place.enter();
        return value;
      },
    );
    const first = results.next();
    await settled();
    end(1);
    await first;
    const left = results.return(undefined);
    for (const value of [2, 3]) end(value);
    expect(await left).toEqual({ done: true, value: undefined });
  });
});

describe('limitWork', () => {
  it('runs at most the given number at once, the others in order of arrival, even after a failure', async () => {
    const { started, work, end, fail } = handHeldWork();
    const limited = limitWork(2);
    const results = Promise.allSettled([1, 2, 3, 4].map((value) => limited(() => work(value))));
    await settled();
    expect(started).toEqual([1, 2]);
    fail(2, new Error('refused'));
    await settled();
    expect(started).toEqual([1, 2, 3]);
    for (const value of [1, 3]) end(value);
    await settled();
    end(4);
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
