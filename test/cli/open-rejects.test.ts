import { expect, test } from 'vitest';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

const header = 'originId,name,isReviewDisabled';

async function push(place: Place, file: string, ...rows: readonly string[]) {
  const path = place.write(file, [header, ...rows]);
  return place.run(`products push ${path} -o none --rejects ${path}.rejects.csv`);
}

const openIds = async (place: Place, ...words: readonly string[]) =>
  recordsIn(await place.run(['runs rejects', ...words, '--open'])).map(({ originId }) => originId);

test('a reject is open until a later run has pushed its record, unchanged or not', async () => {
  const place = await openPlace({ products: 0 });
  await push(place, 'a.csv', 'P0,Jug,N');
  expect(
    (await push(place, 'a.csv', 'P0,Jug,maybe', 'P1,Mug,maybe', 'P2,Pot,maybe', 'P3,Pan,N')).exitCode,
  ).toBe(6);
  expect(await openIds(place)).toEqual(['P0', 'P1', 'P2']);
  expect((await push(place, 'b.csv', 'P0,Jug,N', 'P1,Mug,Y')).stderr).toContain('1 created, 1 unchanged');
  expect(await openIds(place)).toEqual(['P2']);
  await push(place, 'c.csv', 'P1,Mug,perhaps', 'P4,Cup,N');
  expect(await openIds(place)).toEqual(['P1', 'P2']);
  const [open] = recordsIn(await place.run('runs rejects last --open'));
  const { run } = recordsIn(await place.run('runs list'))[0];
  expect(open).toMatchObject({ originId: 'P1', outcome: 'rejected', run, kind: 'products' });
  expect(await openIds(place, 'last')).toEqual(['P1']);
  // An undo rejects the created products, because the service cannot delete any.
  expectEnd(await place.run('runs undo last --yes'), 6, '1 rejected');
  expect(await openIds(place)).toEqual(['P1', 'P2']);
});

test('a person drops a reject, and only an open one of the run that is named', async () => {
  const place = await openPlace({ products: 0 });
  await push(place, 'a.csv', 'P1,Mug,maybe', 'P2,Pot,maybe', 'P3,Pan,N');
  const dropped = expectEnd(
    await place.run('runs resolve last P2 P2 P3 --dropped -y'),
    6,
    /^1 reject dropped\nwarning: 1 record unchanged.*: P3$/m,
  );
  expect(recordsIn(dropped)).toEqual([
    { originId: 'P2', resolution: 'dropped' },
    { originId: 'P3', resolution: 'unchanged' },
  ]);
  expect(await openIds(place)).toEqual(['P1']);
  expectEnd(await place.run('runs resolve last --dropped --yes'), 0);
  expect(await openIds(place)).toEqual([]);
  expect(recordsIn(await place.run('runs rejects'))).toHaveLength(2);
});

test('a reject that was pushed with another id is dropped as the list of open ones says', async () => {
  const place = await openPlace({ products: 0 });
  await push(place, 'a.csv', ',Mug,Y', 'P3,Pan,N');
  await push(place, 'b.csv', 'P1,Mug,Y');
  const { stderr } = expectEnd(
    await place.run('runs rejects --open'),
    0,
    'runs resolve RUN --dropped -- ID; ',
  );
  expect(stderr).toContain('FILE:LINE');
  const { run, file, line } = recordsIn(await place.run('runs rejects --open'))[0];
  expectEnd(await place.run(['runs', 'resolve', run, `${file}:${line}`, '--dropped', '-y']), 0);
  expect(await openIds(place)).toEqual([]);
});

test.each([['--sent', '--dropped'], ['--sent', '--not-sent'], []])(
  '%j %j are not one result',
  async (...flags) => {
    const place = await openPlace({ products: 0 });
    await push(place, 'a.csv', 'P1,Mug,maybe', 'P3,Pan,N');
    expectEnd(
      await place.run(['runs resolve last', ...flags]),
      2,
      'state the result: one of --sent, --not-sent and --dropped',
    );
  },
);
