import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { createListParts } from '../../src/settle/flow/list-parts.ts';

/** The parts of a list of these ids. */
function partsOf(ids: Iterable<string>, random = seededRandom(1)) {
  const list = createListParts(random);
  for (const id of ids) list.note(id);
  return list.parts();
}

function* numbered(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield String(index).padStart(9, '0');
}

/** How many of these ids are in each part. */
function sizesOf(ids: readonly string[]): number[] {
  return partsOf(ids).map(
    ({ after = '', upTo = '~' }) => ids.filter((id) => id > after && id <= upTo).length,
  );
}

it('a short list is one part, which holds every id', () => {
  expect(partsOf([])).toStrictEqual([{}]);
  expect(partsOf(numbered(63))).toStrictEqual([{}]);
});

it('each id of a list is in one of its parts, none of which is large', () => {
  const ids = [...numbered(4_000)];
  const sizes = sizesOf(ids);
  expect(sizes).toHaveLength(63);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(4_000);
  expect(Math.max(...sizes)).toBeLessThan(8 * 64);
});

it('the bounds of a list whose ids are all drawn are not only those of its beginning or end', () => {
  const sizes = sizesOf([...numbered(256)]);
  expect(sizes).toHaveLength(5);
  expect(Math.max(...sizes)).toBeLessThan(200);
});

it('a list whose ids are all drawn has all its parts, whatever is drawn later', () => {
  expect(partsOf(numbered(256), () => 0)).toHaveLength(5);
});

it('parts follow each other in the order of bytes, in which ledgers list', () => {
  const ids = [...numbered(64)].flatMap((id) => [`\u{ff5e}${id}`, `\u{1f600}${id}`]);
  const bounds = partsOf(ids).flatMap(({ upTo }) => (upTo === undefined ? [] : [Buffer.from(upTo)]));
  expect(bounds).toHaveLength(2);
  expect(bounds.toSorted((one, other) => Buffer.compare(one, other))).toEqual(bounds);
});

it('a list without end has no more than 256 bounds, drawn from all of it', () => {
  const bounds = partsOf(numbered(100_000)).flatMap(({ upTo }) => (upTo === undefined ? [] : [Number(upTo)]));
  expect(bounds).toHaveLength(256);
  expect(bounds.filter((bound) => bound < 50_000).length).toBeGreaterThan(64);
  expect(bounds.filter((bound) => bound >= 50_000).length).toBeGreaterThan(64);
});
