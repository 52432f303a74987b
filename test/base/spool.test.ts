import { fstatSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Spool, type SpoolBatch } from '../../src/base/spool.ts';
import { temporaryFolder } from '../push/open-push.ts';

async function batchesOf(spool: Spool): Promise<SpoolBatch[]> {
  const batches: SpoolBatch[] = [];
  for await (const batch of spool.batches()) batches.push(batch);
  return batches;
}

function eachOf(spool: Spool): SpoolBatch[] {
  return Array.from({ length: spool.length }, (_, index) => spool.batchAt(index));
}

const wellFormed = fc.string({ unit: 'grapheme', maxLength: 12 });
const batch = fc
  .tuple(wellFormed, fc.array(fc.tuple(fc.nat(), wellFormed, wellFormed), { minLength: 1, maxLength: 5 }))
  .map(([file, records]) => ({
    file,
    lines: records.map(([line]) => line),
    columns: [records.map(([, one]) => one), records.map(([, , other]) => other)],
  }));

test('batches come back as they were added, as often as they are asked for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 6 }), async (batches) => {
      const spool = new Spool('/nowhere');
      for (const one of batches) spool.add(one);
      expect(await batchesOf(spool)).toEqual(batches);
      expect(await batchesOf(spool)).toEqual(batches);
      expect(eachOf(spool)).toEqual(batches);
    }),
  );
});

/** The modes of open files in `folder` without a name. */
function unnamedFilesOf(folder: string): number[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    const path = join('/proc/self/fd', descriptor);
    // The descriptor of the listing itself is closed by now.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
    const target = readlinkSync(path);
    return target.startsWith(folder) && target.endsWith('(deleted)')
      ? [fstatSync(Number(descriptor)).mode & 0o777]
      : [];
  });
}

/** About 9 MB, more than is kept in memory or read at once. */
const large = Array.from({ length: 90 }, (_, at) => ({
  file: at < 40 ? 'a.csv' : 'b.csv',
  lines: Array.from({ length: 500 }, (__, row) => at * 500 + row),
  columns: [Array.from({ length: 500 }, (__, row) => `${at}-${row} `.padEnd(180, '가나 x'))],
}));

test('what is too much for memory comes back the same from a file that has no name', async () => {
  const folder = temporaryFolder();
  const spool = new Spool(folder);
  for (const one of large) spool.add(one);
  expect(readdirSync(folder)).toEqual([]);
  expect(unnamedFilesOf(folder)).toEqual([0o600]);
  expect(await batchesOf(spool)).toEqual(large);
  expect(await batchesOf(spool)).toEqual(large);
  expect(eachOf(spool)).toEqual(large);
  spool.close();
  spool.close();
  expect(unnamedFilesOf(folder)).toEqual([]);
});

test('a batch without records is none', async () => {
  const spool = new Spool('/nowhere');
  spool.add({ file: 'a.csv', lines: [], columns: [[]] });
  expect(await batchesOf(spool)).toEqual([]);
});
