import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { pushLockName } from '../../src/store/locks/locks.ts';
import { openPushJournal, stateLocks } from '../../src/store/open-store.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { type CliResult, type CommandLine, expectEnd } from './run-cli.ts';
import type { ProgramOptions } from './run-program.ts';

const dayMs = 24 * 60 * 60 * 1000;
let place: Place;

beforeEach(async () => {
  place = await openPlace();
});

const cli = (line: CommandLine, options?: ProgramOptions) => place.run(line, options);

/** A stopped clock, this many days after the other runs. */
function daysLater(days: number): Clock {
  const clock = new SkippingClock();
  void clock.sleep(days * dayMs);
  return clock;
}

async function products(...rows: string[]): Promise<CliResult> {
  return cli(`products push ${place.write('products.csv', ['originId,name,isReviewDisabled', ...rows])}`);
}

async function names(): Promise<Readonly<Record<string, string>>> {
  const listed = recordsIn(await cli('products list'));
  return Object.fromEntries(listed.map(({ originId, name }) => [originId, name]));
}

async function lastRun(): Promise<
  Readonly<Record<string, unknown>> & { readonly run: string; readonly command: readonly string[] }
> {
  const [run] = recordsIn(await cli('runs show last'));
  return run;
}

function undoFiles(): string[] {
  const paths = readdirSync(join(place.folder, 'state'), { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => /[/\\]undo[/\\]/.test(path)).map((path) => join(place.folder, 'state', path));
}

test('a run of products is undone field by field, as long as nothing else was written since', async () => {
  await products('P1,Cup,N', 'P2,Pot,N', 'P3,Pan,N');
  const pushed = await products('P1,Mug,Y', 'P2,Kettle,N', 'P3,Pan,N');
  const { run } = await lastRun();
  expect(pushed.stderr).toContain(`to undo its updates (until 2026-01-31): reviewctl runs undo ${run}`);
  await products('P1,Mug,Y', 'P2,Jug,N', 'P3,Pan,N');

  const undone = await cli(`runs undo ${run}`);
  expect(recordsIn(undone)).toEqual([
    {
      file: join(place.folder, 'products.csv'),
      line: 2,
      originId: 'P1',
      outcome: 'updated',
      id: expect.any(String),
      changes: { name: { from: 'Mug', to: 'Cup' }, isReviewDisabled: { from: true, to: false } },
    },
    {
      file: join(place.folder, 'products.csv'),
      line: 3,
      originId: 'P2',
      outcome: 'rejected',
      id: expect.any(String),
      error: 'left alone: name was "Pot", the run sent "Kettle", and the service has "Jug" now',
    },
  ]);
  expect(undone.exitCode).toBe(6);
  expect(await names()).toEqual({ P1: 'Cup', P2: 'Jug', P3: 'Pan' });
});

test('a run of products that undid another is undone like it, and is on record with the command that goes on', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N');
  const { run } = await lastRun();
  await cli('runs undo last -c concurrency=2');
  const undo = await lastRun();
  expect(undo).toMatchObject({
    kind: 'products',
    exitCode: 0,
    outcomes: { updated: 1 },
    files: [],
    command: ['runs', 'undo', run, '-c', 'concurrency=2'],
    undoableUntil: '2026-01-31',
  });
  expect(await names()).toEqual({ P1: 'Cup' });
  await cli('runs undo last');
  expect(await names()).toEqual({ P1: 'Mug' });
  await cli(undo.command);
  expect(await names()).toEqual({ P1: 'Cup' });
});

test('a run of products leaves what it created, and says so of each', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N', 'P2,Pan,N');
  const undone = await cli('runs undo last');
  expect(recordsIn(undone)).toMatchObject([
    { line: 2, originId: 'P1', outcome: 'updated' },
    {
      line: 3,
      originId: 'P2',
      outcome: 'rejected',
      error: expect.stringContaining('no operation deletes'),
    },
  ]);
  expect(undone.exitCode).toBe(6);
});

test('a dry run shows what would be written back, and writes nothing', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N');
  const shown = await cli('runs undo last --dry-run');
  expect(recordsIn(shown)).toMatchObject([
    { outcome: 'updated', changes: { name: { from: 'Mug', to: 'Cup' } } },
  ]);
  expect({ exitCode: shown.exitCode, names: await names() }).toEqual({ exitCode: 0, names: { P1: 'Mug' } });
  expect(recordsIn(await cli('runs list'))).toHaveLength(2);
});

test('--limit writes the first records back alone, and says how to go on', async () => {
  await products('P1,Cup,N', 'P2,Pot,N');
  await products('P1,Mug,N', 'P2,Kettle,N');
  const { run } = await lastRun();
  const { stderr } = await cli('runs undo last --limit 1');
  expect(stderr).toContain(`reviewctl runs undo ${run}\n`);
  expect(await names()).toEqual({ P1: 'Cup', P2: 'Kettle' });
});

test('what a run replaced can be read by this user alone, and holds no credential', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N', 'P2,Pot,N');
  expect(undoFiles().length).toBe(3);
  for (const path of undoFiles()) {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, 'utf8')).not.toContain(place.sandbox.token);
  }
});

test('what a run replaced is kept for the setting undo-days, and deleted by the first push after that', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N');
  const { run } = await lastRun();
  expectEnd(await cli(`runs undo ${run} --dry-run`, { clock: daysLater(30) }), 0);
  expectEnd(await cli(`runs undo ${run}`, { clock: daysLater(31) }), 2, 'undo-days');
  expect(recordsIn(await cli(`runs show ${run}`, { clock: daysLater(31) }))).toMatchObject([
    { undoableUntil: null },
  ]);
  expect(undoFiles()).toHaveLength(2);
  await cli('products push products.csv', { clock: daysLater(31) });
  expect(undoFiles()).toEqual([]);
});

test('nothing is kept with -c undo-days=0, which a folder cannot ask for', async () => {
  await products('P1,Cup,N');
  await cli('config set undo-days 0');
  const { stderr } = await products('P1,Mug,N');
  expect(stderr).not.toContain('undo');
  expectEnd(await cli('runs undo last'), 2, '-c undo-days=0');
  writeFileSync(join(place.folder, 'reviewctl.json'), '{"undo-days":0}');
  expectEnd(await products('P1,Jug,N'), 2, 'undo-days');
});

test('a run that wrote nothing has nothing to undo, whatever was rejected', async () => {
  await products('P1,Cup,N');
  const file = place.write('bad.csv', ['originId,name,isReviewDisabled', 'P1,Cup,N', 'P2,Pot,maybe']);
  await cli(`products push ${file} --rejects ${file}.rejects.csv`);
  expectEnd(await cli('runs undo last'), 2, 'changed nothing, so there is nothing to undo');
});

test('a run shows until when it can be undone, to people and to programs', async () => {
  await products('P1,Cup,N');
  expect(await lastRun()).toMatchObject({ undoableUntil: null });
  await products('P1,Mug,N');
  const { run } = await lastRun();
  expect(await lastRun()).toMatchObject({ undoableUntil: '2026-01-31' });
  const { stdout } = await cli('runs show last', { isOutputTerminal: true });
  expect(stdout).toContain(`undo      reviewctl runs undo ${run}, until 2026-01-31\n`);
});

test('a push that cannot keep what it replaces stops before the write leaves', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N');
  const path = join(undoFiles()[0] ?? '', '..');
  rmSync(path, { recursive: true });
  writeFileSync(path, '');
  expectEnd(await products('P1,Jar,N'), 2, 'cannot be written to');
  expect(await names()).toEqual({ P1: 'Mug' });
});

test('a run that goes on is refused with exit 9, and one that was killed is undone as far as it came', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N');
  const { run, command } = await lastRun();
  const [path = ''] = undoFiles().filter((file) => file.includes(run));
  const stateFolder = join(path, '../..');
  const journal = await openPushJournal(stateLocation(stateFolder));
  const begun = {
    kind: 'products',
    command: command as string[],
    folder: place.folder,
    files: [],
    startedMs: 0,
  };
  const killed = await journal.runs.begin(begun);
  await journal.close();
  copyFileSync(path, path.replace(run, killed));
  const lock = await stateLocks(stateLocation(stateFolder)).acquire(
    pushLockName('products'),
    'products push',
  );
  expectEnd(await cli(`runs undo ${killed}`), 9, 'is running');
  await lock.release();
  expectEnd(await cli(`runs undo ${killed}`), 0);
  expect(await names()).toEqual({ P1: 'Cup' });
});

test('what the service refused of a run is not undone, though it was written since', async () => {
  await products('P1,Cup,N', 'P2,Pot,N');
  const refused = (...rows: string[]) => {
    place.write('products.csv', ['originId,name,groupId', ...rows]);
    return cli('products push products.csv');
  };
  await refused('P1,Mug,', 'P2,Kettle,404');
  const { run } = await lastRun();
  await products('P2,Kettle,N');
  expect(recordsIn(await cli(`runs undo ${run}`))).toMatchObject([{ originId: 'P1', outcome: 'updated' }]);
  expect(await names()).toEqual({ P1: 'Cup', P2: 'Kettle' });
  expect(await refused('P1,Mug,404')).toMatchObject({
    exitCode: 6,
    stderr: expect.not.stringContaining('runs undo'),
  });
  expectEnd(await cli('runs undo last'), 2, 'changed nothing, so there is nothing to undo');
});

test('a run of order items is undone, and what it changed unseen is listed', async () => {
  place = await openPlace({ products: 2, orders: 2, reviews: 2 });
  const [{ order, orderItem }, { orderItem: other }] = recordsIn(await cli('reviews list'));
  const { product } = recordsIn(await cli(`order-items get ${order.id} ${orderItem.id}`))[0];
  const rows = [`${orderItem.id},${order.id},,RETURN`, `${other.id},,${product.originId},RETURN`];
  const file = place.write('items.csv', ['id,order.id,productOriginId,status', ...rows]);
  const pushed = recordsIn(await cli(`order-items push ${file}`));
  expect(pushed).toMatchObject([{ outcome: 'updated', changes: {} }, { outcome: 'updated' }]);
  const undone = recordsIn(await cli('runs undo last'));
  expect(undone).toMatchObject([
    {
      line: 2,
      outcome: 'updated',
      changes: { status: { from: 'RETURN', to: pushed[0].changes.status.from } },
    },
    { line: 3, outcome: 'rejected', error: expect.stringContaining('order.id') },
  ]);
});

test('a run of another kind is refused with the reason', async () => {
  await cli(`categories push ${place.write('categories.csv', ['originId,name', 'C1,Cups'])}`);
  expectEnd(
    await cli('runs undo last'),
    2,
    /pushed categories, .* earlier values of changed records are not stored/,
  );
});

test('a run that changed nothing is refused, and one that is not on record', async () => {
  await products('P1,Cup,N');
  await products('P1,Cup,N');
  for (const run of ['last', 'zzzzzz']) expectEnd(await cli(`runs undo ${run}`), 2);
});

test('nothing is undone unasked with a profile that is marked production', async () => {
  await products('P1,Cup,N');
  await products('P1,Mug,N');
  await cli('config set production true');
  expectEnd(await cli('runs undo last'), 2, 'marked production');
  expect(await names()).toEqual({ P1: 'Mug' });
});
