import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPlace, type Place } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

const header = 'originId,name';
const rows = (count: number) => Array.from({ length: count }, (_, index) => `P${index},Cup ${index}`);

function push(place: Place, count: number, ...flags: string[]) {
  const file = place.write('products.csv', [header, ...rows(count)]);
  return place.run([`products push ${file}`, ...flags]);
}

const madeIn = ({ sandbox: { sandbox } }: Place) =>
  sandbox.transact(({ state }) => [...state.products.values()].length);

describe('--expect-records', () => {
  test.each([
    ['3', 3],
    ['2..4', 3],
    ['2..', 9],
    ['..4', 1],
    ['..4', 0],
  ])('%s takes an input of %i records', async (range, count) => {
    const place = await openPlace({ products: 0 });
    expectEnd(await push(place, count, `--expect-records ${range}`), 0);
    expect(madeIn(place)).toBe(count);
  });

  test.each([
    ['3', 2, '3'],
    ['2..4', 5, '2 to 4'],
    ['2..', 1, 'at least 2'],
    ['1..', 0, 'at least 1'],
    ['..4', 5, 'at most 4'],
  ])('%s refuses an input of %i records, and nothing is sent', async (range, count, words) => {
    const place = await openPlace({ products: 0 });
    for (const flags of [[], ['--dry-run']]) {
      expectEnd(
        await push(place, count, `--expect-records ${range}`, ...flags),
        7,
        `and --expect-records says ${words}; nothing was sent`,
      );
    }
    expect(madeIn(place)).toBe(0);
  });

  test.each(['', '..', '4..2', 'many', '-1', '1...2'])('is no %j', async (range) => {
    const place = await openPlace();
    expectEnd(await push(place, 1, '--expect-records', range), 2, 'expect-records');
  });

  test('counts the records that are left out, too', async () => {
    const place = await openPlace({ products: 0 });
    const file = place.write('products.csv', [header, 'P1,Cup', ',nameless']);
    const flags = ['--rejects', join(place.folder, 'rejects.csv'), '--expect-records 2'];
    expectEnd(await place.run([`products push ${file}`, ...flags]), 6);
    expectEnd(await place.run(`products push ${file} --rejects -`), 2, "--rejects: '-' needs a FILE");
  });
});

describe('an input without records', () => {
  test('is refused where the last push of the same file had some, until it is allowed', async () => {
    const place = await openPlace({ products: 0 });
    expectEnd(await push(place, 3), 0);
    for (const flags of [[], ['--dry-run']]) {
      expectEnd(
        await push(place, 0, ...flags),
        7,
        /the input has no records, and its last push, run [\w-]+, had 3 records; nothing was sent\nhint: .*--expect-records 0\.\./,
      );
    }
    expectEnd(await push(place, 0, '--expect-records 0..'), 0, 'no records');
    expectEnd(await push(place, 3), 0);
  });

  test('is nothing to do on its first push, and where another file or another kind had some', async () => {
    const place = await openPlace({ products: 0 });
    expectEnd(await push(place, 0), 0);
    const other = place.write('other.csv', [header, 'P1,Cup']);
    expectEnd(await place.run(`products push ${other}`), 0);
    expectEnd(await push(place, 0), 0);
    expectEnd(await push(place, 1), 0);
    const file = place.write('products.csv', [header]);
    expectEnd(await place.run(`categories push ${file}`), 0);
  });

  test('on standard input is refused where the same command had some', async () => {
    const place = await openPlace({ products: 0 });
    const argv = 'products push -';
    expectEnd(await place.run(argv, { stdin: `${header}\nP1,Cup\n` }), 0);
    expectEnd(await place.run(argv, { stdin: `${header}\n` }), 7);
    expectEnd(await place.run(`${argv} --update-only`, { stdin: `${header}\n` }), 0);
  });
});
