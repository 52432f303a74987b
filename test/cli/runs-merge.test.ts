import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fate, ImportProof } from '../../src/cli/commands/runs/import-proof.ts';
import { openShardPlace, type Place, recordsIn } from './open-place.ts';

const header = 'orderOriginId,originId,productOriginId';
const items = Array.from({ length: 80 }, (_, at) => `ORDER-${Math.floor(at / 2)},ITEM-${at},P${at % 5}`);
const shards = ['1/4', '2/4', '3/4', '4/4'];

const writeItems = (place: Place, lines = items) => place.write('orders.csv', [header, ...lines]);

function pushShard(place: Place, shard: string, ...flags: string[]) {
  return place.run(['orders', 'push', 'orders.csv', '--shard', shard, '--batch', 'november', ...flags]);
}

const merge = (place: Place, ...flags: string[]) =>
  place.run(['runs', 'merge', '--batch', 'november', ...flags]);

/** A place with another state folder: another machine. */
function onOtherMachine(place: Place, name: string): Place {
  const env = { ...place.env, REVIEWCTL_STATE_DIR: `${place.folder}/${name}` };
  return { ...place, env, run: (argv, given = {}) => place.run(argv, { env, ...given }) };
}

describe('a merged report', () => {
  test('proves that each record of an import has exactly one outcome', async () => {
    const place = await openShardPlace();
    writeItems(place);
    for (const shard of shards) await pushShard(place, shard);
    const merged = await merge(place);
    expect(merged).toMatchObject({ exitCode: 0, stdout: '' });
    expect(merged.stderr).toBe('80 records: 80 queued; each has exactly one outcome\n');
    // What was sent stays what it was when shards are run again, whose records are skipped.
    for (const shard of shards) await pushShard(place, shard);
    expect((await merge(place)).stderr).toBe(merged.stderr);
    // Neither does a push of the whole input, as a part of the import.
    await place.run(['orders', 'push', 'orders.csv', '--batch', 'november']);
    expect((await merge(place)).stderr).toBe(merged.stderr);
    const ids = recordsIn(await place.run(['runs', 'list', '-o', 'ndjson'])).map(({ run }) => run);
    expect(await place.run(['runs', 'merge', ...ids])).toEqual(merged);
  });
});

describe('a merged report of runs with invalid records', () => {
  test('knows the records of a file under any path, and of a shard of which all records are invalid', async () => {
    const place = await openShardPlace();
    const file = writeItems(place, [...items, 'BAD,1.2E+15,P1']);
    const batch = ['--batch', 'november'];
    for (const [at, path] of [file, 'orders.csv', './orders.csv'].entries()) {
      for (const index of at === 0 ? [1, 2, 3] : [1, 2, 3, 4]) {
        const flags = ['--shard', `${index}/4`, ...batch, '--rejects', `rejects-${index}.csv`];
        await place.run(['orders', 'push', path, ...flags]);
      }
    }
    const { exitCode, stderr } = await place.run(['runs', 'merge', '--batch', 'november', '-o', 'none']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 6,
      stderr: '81 records: 80 queued, 1 rejected; each has exactly one outcome\n',
    });
    const alone = place.write('alone.csv', [header, items[0] ?? '', 'BAD,1.2E+15,P1']);
    for (let index = 1; index <= 20; index += 1) {
      const flags = ['--shard', `${index}/20`, '--rejects', `alone-${index}.csv`];
      expect([0, 6]).toContain(
        (await place.run(['orders', 'push', alone, ...flags, '--batch', 'a'])).exitCode,
      );
    }
    expect((await place.run(['runs', 'merge', '--batch', 'a', '-o', 'none'])).stderr).toContain(
      '2 records: 1 skipped, 1 rejected; each has exactly one outcome',
    );
  });
});

describe('a merged report of an unfinished import', () => {
  test('names the records without an outcome, the shards without a run, and the commands that go on', async () => {
    const place = await openShardPlace();
    writeItems(place);
    await pushShard(place, '1/4');
    await pushShard(place, '3/4', '--limit', '2');
    const { exitCode, stderr, ...printed } = await merge(place);
    expect(exitCode).toBe(6);
    const [{ run }] = recordsIn(await place.run(['runs', 'list', '-o', 'ndjson']));
    const records = recordsIn({ ...printed, exitCode, stderr });
    expect(
      records.every((record) => record.outcome === 'none' && record.shard === '3/4' && record.run === run),
    ).toBe(true);
    expect(records[0]).toMatchObject({
      file: 'orders.csv',
      line: expect.any(Number),
      originId: expect.any(String),
    });
    expect(stderr).toContain(`${records.length} records without an outcome in run ${run} (shard 3/4)`);
    expect(stderr).toContain(`reviewctl runs resume ${run}`);
    expect(stderr).toMatch(/\d+ records in shards without a run: 2\/4, 4\/4/);
    expect(stderr).toContain('reviewctl orders push orders.csv --shard 2/4 --batch november');
    for (const shard of shards) await pushShard(place, shard);
    expect(await merge(place)).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('lists what was rejected, with the reason, and what was left out', async () => {
    const place = await openShardPlace({ products: 0 });
    place.write('products.csv', ['originId,name', 'P1,Cup', 'P2,', 'P3,Mug', 'P1,Pot']);
    for (const index of [1, 2]) {
      const flags = ['--shard', `${index}/2`, '--batch', 'november', '--rejects', `r${index}.csv`];
      await place.run(['products', 'push', 'products.csv', ...flags]);
    }
    const merged = await merge(place);
    expect(merged.exitCode).toBe(6);
    expect(merged.stderr).toBe('4 records: 2 created, 2 rejected; each has exactly one outcome\n');
    const records = recordsIn(merged).map(({ line, originId, error }) => ({ line, originId, error }));
    expect(records.toSorted((one, other) => one.line - other.line)).toEqual([
      { line: 3, originId: 'P2', error: 'name is needed to create a product' },
      { line: 5, originId: 'P1', error: expect.stringContaining('already on') },
    ]);
  });
});

describe('a merged report of several machines, or of runs that do not belong together', () => {
  test('finds records that two machines sent, and refuses a folder without runs', async () => {
    const place = await openShardPlace();
    const other = onOtherMachine(place, 'other');
    writeItems(place);
    for (const shard of shards) await pushShard(shard === '4/4' ? other : place, shard);
    expect((await merge(place)).exitCode).toBe(6);
    const from = ['--from', `${place.folder}/other`];
    expect(await merge(place, ...from)).toMatchObject({ exitCode: 0, stdout: '' });
    // A shard that is started again where its journal is not.
    await pushShard(other, '1/4');
    const merged = await merge(place, ...from);
    expect(merged.exitCode).toBe(11);
    expect(merged.stderr).toMatch(/80 records: \d+ queued; \d+ sent more than once/);
    const records = recordsIn(merged);
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) {
      expect(record).toMatchObject({ outcome: 'repeated', shard: '1/4' });
      expect(record.error).toMatch(/^sent by run \w{6} and run \w{6} in .*other$/);
    }
    const nothing = await merge(place, '--from', `${place.folder}/nothing`);
    expect(nothing).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no push of profile default'),
    });
  });

  test.each([
    ['other records', ['X,X-1,P1'], [], /their files differ/],
    ['other flags', items, ['--set', 'productOriginId=P1'], /read the same files with different flags/],
  ])('refuses runs that read %s', async (_, lines, flags, message) => {
    const place = await openShardPlace();
    writeItems(place);
    await pushShard(place, '1/2');
    writeItems(place, lines);
    for (const shard of ['1/2', '2/2']) await pushShard(place, shard, ...flags);
    const { exitCode, stdout, stderr } = await merge(place);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/runs \w{6} and \w{6} do not belong to one import: /);
    expect(stderr).toMatch(message);
  });

  test.each([
    [[], 'no runs are named'],
    [['--batch', 'october'], "no run of the import 'october' is on record"],
    [['last'], 'was pushed without --shard and --batch'],
    [['last', '--batch', 'november'], 'both by id and by --batch'],
    [['last', '--from', 'elsewhere'], 'found by --batch only'],
  ])('with %j says what to name', async (words, message) => {
    const place = await openShardPlace();
    const file = writeItems(place);
    await place.run(['orders', 'push', file]);
    const { exitCode, stderr } = await place.run(['runs', 'merge', ...words]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });
});

describe('the outcome of a record in several runs', () => {
  const run = { files: ['a.csv'] };
  const record = { file: 'a.csv', line: 2, originId: 'I-1' };
  /** Each run is an outcome, and a letter for its journal. */
  function fateOf(...runs: string[]): Fate {
    const proof = new ImportProof();
    for (const said of runs) {
      const [outcome = '', journal = ''] = said.split(' ');
      const from = { run, place: journal === 'A' ? 0 : 1 };
      proof.take([record], from);
      if (outcome !== 'killed') proof.take([{ ...record, outcome }], from);
    }
    return proof.fateOf(record, { run, place: 0 });
  }

  test.each<[Fate, readonly string[]]>([
    ['none', ['killed A']],
    ['queued', ['queued A', 'skipped A']],
    ['created', ['queued A', 'created A', 'skipped A']],
    ['created', ['created A', 'updated A', 'unchanged A']],
    ['created', ['created A', 'unchanged B']],
    ['created', ['failed A', 'created A']],
    ['queued', ['queued A', 'failed A', 'queued A']],
    ['skipped', ['unknown A', 'skipped A']],
    ['queued', ['unknown A', 'queued A']],
    ['created', ['killed A', 'created B']],
    ['unknown', ['unknown A']],
    ['rejected', ['rejected A', 'rejected B']],
    ['repeated', ['queued A', 'queued B']],
    ['repeated', ['unknown A', 'queued B']],
    ['repeated', ['created A', 'created A']],
    ['repeated', ['queued A', 'queued B', 'skipped B']],
  ])('is %s after %j', (fate, runs) => {
    expect(fateOf(...runs)).toBe(fate);
  });

  test('is one of each record, whatever the pages and runs they come in', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(30), fc.boolean()), { maxLength: 60 }), (drawn) => {
        const proof = new ImportProof();
        const of = (line: number) => ({ file: 'a.csv', line, originId: `I-${line}` });
        for (const [line, isSent] of drawn) {
          proof.take([of(line)], { run, place: 0 });
          if (isSent) proof.take([{ ...of(line), outcome: 'queued' }], { run, place: 0 });
        }
        const lines = new Set(drawn.map(([line]) => line));
        const sent = new Set(drawn.flatMap(([line, isSent]) => (isSent ? [line] : [])));
        expect(proof.tally()).toMatchObject({ queued: sent.size, none: lines.size - sent.size, repeated: 0 });
      }),
    ));
});
