import { expect, test } from 'vitest';
import { maskedNames } from '../../src/cli/templates/push/expected-count.ts';
import { openPlace, type Place } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

const rows = (count: number, name = (index: number) => `Cup ${index}`) =>
  Array.from({ length: count }, (_, index) => `P${index},${name(index)}`);

function push(place: Place, count: number, { file = 'products.csv', flags = [] as readonly string[] } = {}) {
  const path = place.write(file, ['originId,name', ...rows(count)]);
  return place.run([`products push ${path} -o none`, ...flags]);
}

const warning = /^warning: the input has 7 records, and the last 2 pushes of such files had about 10$/m;

test('a push of far fewer products than usual is a warning from the third on, which names the way out', async () => {
  const place = await openPlace({ products: 0 });
  expect((await push(place, 10)).stderr).not.toContain('warning');
  expect((await push(place, 7)).stderr).not.toContain('warning');
  await push(place, 10);
  const short = expectEnd(
    await push(place, 7, { flags: ['--dry-run'] }),
    0,
    'the input has 7 records, and the last 3 pushes of such files had about 10',
  );
  const [, way = ''] = /add (--expect-records 7\.\.)$/m.exec(short.stderr) ?? [];
  expect((await push(place, 7, { flags: way.split(' ') })).stderr).not.toContain('warning');
});

test('8 of 10 are as usual, and dated files of one name are alike', async () => {
  const place = await openPlace({ products: 0 });
  await push(place, 10, { file: 'export-2026-11-23.csv' });
  await push(place, 10, { file: 'export-2026-11-24.csv' });
  expect((await push(place, 8, { file: 'export-2026-11-25.csv' })).stderr).not.toContain('warning');
  await push(place, 10, { file: 'export-2026-11-26.csv' });
  const other = await push(place, 7, { file: 'other.csv' });
  expect(other.stderr).not.toContain('warning');
  expect((await push(place, 7, { file: 'export-2026-12-01.csv' })).stderr).toMatch(
    /last 4 pushes .* about 10$/m,
  );
  expectEnd(await push(place, 0, { file: 'export-2026-12-02.csv' }), 7, 'the input has no records');
});

test('a digit is no date: files of two shops are not alike, and dates of any form are', () => {
  const masked = [
    'store1.csv',
    'shop2-2026-11-27.csv',
    '24_20261127-103000.csv',
    'a 27.11.2026.csv',
    '11월27일 3.csv',
  ];
  expect(masked.map((name) => maskedNames([`/exports/${name}`]))).toEqual([
    'store1.csv',
    'shop2-#-#-#.csv',
    '24_#-#.csv',
    'a #.#.#.csv',
    '#월#일 3.csv',
  ]);
});

test('max-drop stops it with exit 7 before anything is sent, and a smaller drop is a warning', async () => {
  const place = await openPlace({ products: 0 });
  for (const count of [10, 10]) await push(place, count);
  expectEnd(
    await push(place, 4, { flags: ['-c max-drop=50%'] }),
    7,
    /about 10, more than max-drop 50% below; nothing was sent\nhint: .*--expect-records 4\.\.$/m,
  );
  expectEnd(await push(place, 7, { flags: ['-c max-drop=50%'] }), 0, warning);
  expectEnd(await push(place, 4, { flags: ['-c max-drop=50'] }), 2);
});

test('one new name for most of the records that change is a warning that names --max-change', async () => {
  const place = await openPlace({ products: 0 });
  await push(place, 120);
  const same = place.write('products.csv', [
    'originId,name',
    ...rows(120, (at) => (at < 60 ? 'Product' : `Cup ${at}`)),
  ]);
  const { stderr } = await place.run(`products push ${same} --dry-run -o none`);
  expect(stderr).toContain('60 of 60 changed records get the same new name, "Product"\nhint: ');
  expect(stderr).toContain('--max-change');
  const few = place.write('products.csv', [
    'originId,name',
    ...rows(120, (at) => (at < 50 ? 'Product' : `Cup ${at}`)),
  ]);
  expect((await place.run(`products push ${few} --dry-run -o none`)).stderr).not.toContain('warning');
});
