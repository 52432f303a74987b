import { expect, it } from 'vitest';
import { openPlace } from './open-place.ts';

const header = 'originId,name,categories';
/** Products with categories unknown to the service, from line 2 on. */
const refused = (count: number) => Array.from({ length: count }, (_, index) => `P-${index + 1},Cup,C-9`);

it('a push with -o none names the first 20 records that were refused, each with its reason, and how many more', async () => {
  const place = await openPlace();
  const file = place.write('p.csv', [header, ...refused(23), 'P-99,Good,']);
  const { exitCode, stdout, stderr } = await place.run('products push p.csv -o none');
  expect(exitCode, file).toBe(6);
  expect(stdout).toBe('');
  const named = stderr.split('\n').filter((line) => line.startsWith('p.csv:'));
  expect(named).toHaveLength(20);
  expect(named[0]).toMatch(/^p\.csv:2: P-1: rejected: .*categor/);
  expect(named[19]).toMatch(/^p\.csv:21: P-20: /);
  expect(stderr).toContain('\nand 3 records more\n');
  expect((await place.run('products push p.csv -o count')).stderr).toContain('\nand 3 records more\n');
});

it('a push with -o none names no record where all is well, and none that --rejects has listed before', async () => {
  const place = await openPlace();
  place.write('p.csv', [header, 'P-1,Cup,']);
  const { stderr } = await place.run('products push p.csv -o none -c progress=none');
  expect(stderr).toMatch(/^1 product: 1 created in [\d.]+ s\n$/);
  place.write('q.csv', [header, 'P-3,,', 'P-2,Cup,']);
  const skip = '--rejects rejects.csv';
  const skipped = await place.run(`products push q.csv -o none ${skip}`);
  expect(skipped.exitCode, skipped.stderr).toBe(6);
  expect(skipped.stderr.split('\n').filter((line) => line.startsWith('q.csv:'))).toHaveLength(1);
});

it('records that are printed are not named on stderr, too', async () => {
  const place = await openPlace();
  place.write('p.csv', [header, ...refused(1)]);
  const { stdout, stderr } = await place.run('products push p.csv -o ndjson');
  expect(stdout).toContain('P-1');
  expect(stderr).not.toContain('p.csv:2');
});
