import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fate, ImportProof } from '../../src/cli/commands/runs/import-proof.ts';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

const header = 'orderOriginId,originId,productOriginId';
const items = Array.from({ length: 80 }, (_, at) => `ORDER-${Math.floor(at / 2)},ITEM-${at},P${at % 5}`);
const shards = ['1/4', '2/4', '3/4', '4/4'];

const writeItems = (place: Place, lines = items) => place.write('orders.csv', [header, ...lines]);

function pushShard(place: Place, shard: string, ...flags: string[]) {
  return place.run([`orders push orders.csv --shard ${shard}`, ...flags]);
}

const show = (place: Place, run = 'last') => place.run(`runs show ${run}`);

describe('runs show of a shard', () => {
  test('proves by any of its runs that each record of the import has one outcome', async () => {
    const place = await openPlace();
    writeItems(place);
    for (const shard of shards) await pushShard(place, shard);
    // Pushing shards again skips their records; their first outcome stays.
    for (const shard of shards) await pushShard(place, shard);
    const runs = recordsIn(await place.run('runs list -o ndjson'));
    expect(runs).toHaveLength(8);
    for (const { run } of [runs[0], runs[7]]) {
      const shown = await show(place, run);
      expect({ ...shown, stdout: '' }).toEqual({
        exitCode: 0,
        stdout: '',
        stderr: '80 records: 80 queued; each has exactly one outcome\n',
      });
      expect(recordsIn(shown)[0].import).toEqual({
        records: 80,
        outcomes: { queued: 80 },
        withoutOutcome: 0,
        repeated: 0,
        missingShards: [],
      });
    }
  });

  test('names records without an outcome, shards without a run, and how to go on', async () => {
    const place = await openPlace();
    writeItems(place);
    await pushShard(place, '1/4');
    await pushShard(place, '3/4', '--limit 2');
    const [{ run, outcomes }] = recordsIn(await place.run('runs list -o ndjson'));
    expect(outcomes).toEqual({ queued: 2 });
    for (const one of ['last', run]) {
      const { stderr } = expectEnd(await show(place, one), 6);
      const [, count] = /^warning: (\d+) records without an outcome in shard 3\/4/m.exec(stderr) ?? [];
      const named = stderr.match(/^orders\.csv:\d+: ITEM-\d+: no outcome$/gm);
      expect(named).toHaveLength(Math.min(20, Number(count)));
      expect(stderr).toContain(`(run ${run})`);
      expect(stderr).toContain('reviewctl orders push orders.csv --shard 3/4 --limit 2');
      expect(stderr).toContain('shards without a run in this state: 2/4, 4/4');
      expect(stderr).toContain('reviewctl orders push orders.csv --shard 2/4');
    }
    for (const shard of shards) await pushShard(place, shard);
    expectEnd(await show(place), 0);
  });

  test('counts what was rejected, whatever the path of the file', async () => {
    const place = await openPlace();
    const file = writeItems(place, [...items, 'BAD,1.2E+15,P1']);
    for (const [at, path] of [file, 'orders.csv', './orders.csv'].entries()) {
      for (const index of at === 0 ? [1, 2, 3] : [1, 2, 3, 4]) {
        const skip = [`--rejects rejects-${index}.csv`];
        await place.run([`orders push ${path} --shard ${index}/4`, ...skip]);
      }
    }
    expect(await show(place)).toMatchObject({
      exitCode: 6,
      stderr: '81 records: 80 queued, 1 rejected; each has exactly one outcome\n',
    });
  });

  test.each([
    ['other records', ['X,X-1,P1'], ['--shard 1/2']],
    ['the same with other flags', items, ['--shard 1/2 --set productOriginId=P1']],
    ['the same in other parts', items, ['--shard 1/3']],
  ])('shows no run that read %s', async (_, lines, flags) => {
    const place = await openPlace();
    writeItems(place);
    for (const shard of ['1/2', '2/2']) await pushShard(place, shard);
    const [{ run }] = recordsIn(await place.run('runs list -o ndjson'));
    writeItems(place, lines);
    await place.run(['orders push orders.csv', ...flags]);
    expect(await show(place, run)).toMatchObject({
      exitCode: 0,
      stderr: '80 records: 80 queued; each has exactly one outcome\n',
    });
  });
});

describe('the outcome of a record in several runs', () => {
  const run = { files: ['a.csv'] };
  const record = { file: 'a.csv', line: 2, originId: 'I-1' };
  function fateOf(...outcomes: string[]): Fate {
    const proof = new ImportProof();
    for (const outcome of outcomes) {
      proof.take([record], run);
      if (outcome !== 'killed') proof.take([{ ...record, outcome }], run);
    }
    return proof.fateOf(record, run);
  }

  test.each<[Fate, readonly string[]]>([
    ['none', ['killed']],
    ['queued', ['queued', 'skipped']],
    ['created', ['queued', 'created', 'skipped']],
    ['created', ['created', 'updated', 'unchanged']],
    ['created', ['failed', 'created']],
    ['created', ['killed', 'created']],
    ['queued', ['queued', 'failed', 'queued']],
    ['skipped', ['unknown', 'skipped']],
    ['queued', ['unknown', 'queued']],
    ['unknown', ['unknown']],
    ['rejected', ['rejected', 'rejected']],
    ['repeated', ['created', 'created']],
    ['repeated', ['created', 'queued', 'skipped']],
  ])('is %s after %j', (fate, outcomes) => {
    expect(fateOf(...outcomes)).toBe(fate);
  });

  test('is one of each record, whatever the pages and runs they come in', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(30), fc.boolean()), { maxLength: 60 }), (drawn) => {
        const proof = new ImportProof();
        const of = (line: number) => ({ file: 'a.csv', line, originId: `I-${line}` });
        for (const [line, isSent] of drawn) {
          proof.take([of(line)], run);
          if (isSent) proof.take([{ ...of(line), outcome: 'queued' }], run);
        }
        const lines = new Set(drawn.map(([line]) => line));
        const sent = new Set(drawn.flatMap(([line, isSent]) => (isSent ? [line] : [])));
        expect(proof.tally()).toMatchObject({ queued: sent.size, none: lines.size - sent.size, repeated: 0 });
      }),
    ));
});
