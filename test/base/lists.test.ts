import { describe, expect, it } from 'vitest';
import { chunk, limitWork, mapConcurrently, regroup, streamOf } from '../../src/base/lists.ts';

async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

/** Lets all pending promises continue. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const counted = (length: number) => Array.from({ length }, (_, index) => index + 1);

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

/** Tasks that end on command. `end` and `fail` wait until all pending promises have continued. */
function handHeldWork() {
  const started: number[] = [];
  const ends = new Map<number, (how: string | Promise<never>) => void>();
  const work = (value: number) => {
    started.push(value);
    return new Promise<string>((resolve) => ends.set(value, resolve));
  };
  return {
    started,
    work,
    end: async (...values: readonly number[]) => {
      for (const value of values) {
        ends.get(value)?.(`done ${value}`);
        await settled();
      }
    },
    fail: async (value: number, reason: Error) => {
      ends.get(value)?.(Promise.reject(reason));
      await settled();
    },
  };
}

/** Runs such tasks on 1, 2, 3 …, until as many have begun as the bounds allow. */
async function workOn(length: number, bounds: Parameters<typeof mapConcurrently>[1]) {
  const held = handHeldWork();
  const results = mapConcurrently(streamOf(counted(length)), bounds, held.work);
  const first = results.next();
  await settled();
  return { ...held, results, first };
}

/** The same, and awaits all results. */
async function allOf(length: number, bounds: Parameters<typeof mapConcurrently>[1]) {
  const held = handHeldWork();
  const results = collected(mapConcurrently(streamOf(counted(length)), bounds, held.work));
  await settled();
  return { ...held, results };
}

describe('mapConcurrently', () => {
  it('yields in the order of the source, whatever ends first', async () => {
    const { results, end } = await allOf(3, { width: 3 });
    await end(3, 2, 1);
    expect(await results).toEqual(['done 1', 'done 2', 'done 3']);
  });

  it('never has more under way than its width, and takes no value before there is room', async () => {
    const { started, results, end } = await allOf(5, { width: 2 });
    expect(started).toEqual([1, 2]);
    await end(1);
    expect(started).toHaveLength(3);
    await end(3);
    expect(started).toHaveLength(3);
    await end(2);
    expect(started).toHaveLength(5);
    await end(4, 5);
    expect(await results).toHaveLength(5);
  });

  it('awaits what is under way when its consumer leaves early', async () => {
    const { started, results, first, end } = await workOn(4, { width: 3 });
    await end(1);
    await first;
    let hasLeft = false;
    const left = results.return(undefined).then(() => {
      hasLeft = true;
    });
    await settled();
    expect(hasLeft).toBe(false);
    await end(2, 3);
    await left;
    expect(started).toEqual([1, 2, 3]);
  });

  it('throws what a piece of work threw when its turn comes, after the others have ended', async () => {
    const { started, results, first, end, fail } = await workOn(4, { width: 3 });
    await fail(2, new Error('refused'));
    await end(1);
    expect(await first).toEqual({ done: false, value: 'done 1' });
    let hasEnded = false;
    const second = results.next().catch((error: Error) => {
      hasEnded = true;
      return error.message;
    });
    await settled();
    expect(hasEnded).toBe(false);
    await end(...started);
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
    await end(1);
    expect(await results).toBe('torn');
  });
});

describe('the bounds of mapConcurrently', () => {
  it('continues behind a slow piece until the window is full', async () => {
    const { started, results, end } = await allOf(5, { width: 2, windowWidths: 2 });
    await end(2, 3, 4);
    expect(started).toEqual([1, 2, 3, 4]);
    await end(1);
    expect(started).toEqual([1, 2, 3, 4, 5]);
    await end(5);
    expect(await results).toEqual(counted(5).map((value) => `done ${value}`));
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
    const { started, results, end } = await allOf(5, { width: () => width });
    expect(started).toEqual([1]);
    width = 3;
    await end(1);
    expect(started).toEqual([1, 2, 3, 4]);
    width = 1;
    await end(2, 3);
    expect(started).toHaveLength(4);
    await end(4, 5);
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
    await end(1);
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
    const bounds = { width: 1, windowWidths: 3 };
    const results = collected(
      mapConcurrently(streamOf(counted(4)), bounds, async (value, place) => {
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
    await end(1);
    expect({ started, steps }).toEqual({ started: [1, 2], steps: ['1 left', '1 is back'] });
    await end(2, 3, 4);
    expect(await results).toEqual([1, 2, 3, 4]);
  });

  it('is given back also when the consumer has left', async () => {
    const { work, end } = handHeldWork();
    const bounds = { width: 1, windowWidths: 3 };
    const results = mapConcurrently(streamOf(counted(3)), bounds, async (value, place) => {
      place.leave();
      await work(value);
      await place.enter();
      return value;
    });
    const first = results.next();
    await settled();
    await end(1);
    await first;
    const left = results.return(undefined);
    await end(2, 3);
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
    await fail(2, new Error('refused'));
    expect(started).toEqual([1, 2, 3]);
    await end(1, 3, 4);
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
