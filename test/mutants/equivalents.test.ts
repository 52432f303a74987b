import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changeOf, equivalentKey, readEquivalents } from './equivalents.ts';
import { mutationsOf } from './mutations.ts';

test('what is excused is a mutant of the source as it is now, and is excused once', () => {
  const excused = readEquivalents().map(equivalentKey);
  const paths = new Set(readEquivalents().map(({ path }) => path));
  const possible = new Set(
    [...paths].flatMap((path) =>
      mutationsOf(path, readFileSync(path, 'utf8')).map((mutation) =>
        equivalentKey(changeOf({ ...mutation, path })),
      ),
    ),
  );
  expect(excused.filter((key) => !possible.has(key))).toEqual([]);
  expect(excused.filter((key, place) => excused.indexOf(key) !== place)).toEqual([]);
});
