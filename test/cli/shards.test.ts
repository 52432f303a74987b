import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shardOf } from '../../src/base/shard.ts';
import { findShard } from '../../src/cli/templates/push/find-shard.ts';
import { ephemeralDisk } from '../../src/config/ephemeral-disk.ts';
import { pushLockName } from '../../src/store/locks/locks.ts';
import { openPushJournal, stateLocks } from '../../src/store/open-store.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import type { CommandLine } from './run-cli.ts';
import { expectEnd, expectNothing } from './run-cli.ts';

const header = 'orderOriginId,originId,productOriginId';
/** 40 orders with two items each. */
const items = Array.from({ length: 80 }, (_, at) => `ORDER-${Math.floor(at / 2)},ITEM-${at},P${at % 5}`);

function pushShard(place: Place, shard: string, ...flags: string[]) {
  const file = place.write('orders.csv', [header, ...items]);
  return place.run([`orders push ${file} --shard ${shard}`, ...flags]);
}

const numbersIn = (result: Parameters<typeof recordsIn>[0]) =>
  recordsIn(result).map(({ originId }) => Number(originId.slice('ITEM-'.length)));

/** The state folder of a place. */
function folderOf({ folder, sandbox }: Place): string {
  const path = join(folder, 'state/default', new URL(sandbox.baseUrl).host.replace(':', '_'));
  mkdirSync(path, { recursive: true });
  return path;
}

/** Runs `work` while another process appears to push orders. */
async function whilePushing(
  place: Place,
  shard: { readonly index: number; readonly count: number } | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const location = stateLocation(folderOf(place));
  const journal = await openPushJournal(location);
  const lock = await stateLocks(location).acquire(pushLockName('orders', shard), 'orders push');
  const run = await journal.runs.begin({
    kind: 'orders',
    command: ['orders', 'push', 'orders.csv'],
    folder: place.folder,
    files: ['orders.csv'],
    ...(shard === undefined ? {} : { shard }),
    startedMs: Date.now(),
  });
  const entry = { originId: 'UNDER-WAY', contentHash: 'h' };
  const request = await journal.begin('order-item', [entry], run);
  try {
    await work();
    expect(await journal.known('order-item', ['UNDER-WAY'])).toEqual(new Map());
    await journal.end(request, { accepted: [{ entry, jobId: 'J' }] });
    expect((await journal.known('order-item', ['UNDER-WAY'])).get('UNDER-WAY')?.fate).toBe('accepted');
  } finally {
    await lock.release();
    await journal.close();
  }
}

test('shards that run side by side send each record once, and a push of the whole file then sends none', async () => {
  const place = await openPlace();
  const shards = await Promise.all(['1/4', '2/4', '3/4', '4/4'].map((shard) => pushShard(place, shard)));
  for (const [at, shard] of shards.entries()) {
    expect(shard.exitCode).toBe(0);
    expect(shard.stderr).toMatch(new RegExp(`shard ${at + 1}/4, \\d+ of 80 order items: \\d+ queued in`));
    for (const { originId } of recordsIn(shard)) {
      expect(shardOf(`ORDER-${Math.floor(Number(originId.slice(5)) / 2)}`, 4)).toBe(at + 1);
    }
  }
  const numbers = shards.flatMap(numbersIn).toSorted((one, other) => one - other);
  expect(numbers).toEqual([...items.keys()]);
  expectEnd(await place.run('orders push orders.csv -o none'), 0, '80 order items: 80 skipped');
});

test('a run says which shard it was, of which import, and its command is that of the shard', async () => {
  const place = await openPlace();
  const env = { ...place.env, PARALLEL_SEQ: '2' };
  const file = place.write('orders.csv', [header, ...items]);
  const flags = '--shard auto/4';
  expectEnd(await place.run(`orders push ${file} ${flags}`, { env }), 0);
  const [run] = recordsIn(await place.run('runs list -o ndjson'));
  expect(run).toMatchObject({ shard: '2/4', command: expect.arrayContaining(['2/4']) });
  const again = await place.run(run.command);
  expect(again.stderr).toMatch(/shard 2\/4, \d+ of 80 order items: \d+ skipped/);
});

describe('pushes that could send the same records exclude each other', () => {
  test.each([
    ['a whole push and a shard', undefined, ['--shard 1/4'], '(orders push) is'],
    ['a shard and a whole push', { index: 1, count: 4 }, [], '(orders push --shard 1/4) is'],
    [
      'shards of different divisions',
      { index: 1, count: 4 },
      ['--shard 2/5'],
      '(orders push --shard 1/4) is',
    ],
  ])('%s', async (_, running, flags, words) => {
    const place = await openPlace();
    const file = place.write('orders.csv', [header, ...items]);
    await whilePushing(place, running, async () => {
      expectNothing(
        await place.run([`orders push ${file}`, ...flags]),
        9,
        `${words} under way and may send the same records`,
      );
    });
  });

  test('the same shard twice', async () => {
    const place = await openPlace();
    await whilePushing(place, { index: 1, count: 4 }, async () => {
      expectEnd(
        await pushShard(place, '1/4'),
        9,
        'another run of reviewctl orders push --shard 1/4 is under way',
      );
    });
  });

  test('but a shard runs beside others of its division, and takes none of their requests for lost', async () => {
    const place = await openPlace();
    await whilePushing(place, { index: 1, count: 4 }, async () => {
      expectEnd(await pushShard(place, '2/4'), 0);
      const list = recordsIn(await place.run('runs list -o ndjson'));
      expect(list.map(({ state, shard }) => `${shard} ${state}`)).toEqual(['2/4 ended', '1/4 running']);
    });
  });
});

test('what a killed shard left under way is unknown in its next run, and not sent again', async () => {
  const place = await openPlace();
  const shard = { index: shardOf('ORDER-0', 4), count: 4 };
  const location = stateLocation(folderOf(place));
  const journal = await openPushJournal(location);
  const start = { kind: 'orders', command: [], folder: place.folder, files: ['orders.csv'], shard };
  const run = await journal.runs.begin({ ...start, startedMs: Date.now() });
  await journal.begin('order-item', [{ originId: 'ITEM-0', contentHash: 'h' }], run);
  await journal.close();
  const pushed = expectEnd(
    await pushShard(place, `${shard.index}/4`),
    11,
    'in progress when an earlier run was killed',
  );
  expect(recordsIn(pushed)).toContainEqual(
    expect.objectContaining({ originId: 'ITEM-0', outcome: 'unknown' }),
  );
});

describe('a state folder that may be lost', () => {
  const unnamed = ({ env, folder }: Place) => ({
    ...env,
    REVIEWCTL_STATE_DIR: '',
    XDG_STATE_HOME: join(folder, 'state'),
  });

  test('is refused for a shard before anything is read, unless it is named', async () => {
    const named = await openPlace();
    const place = { ...named, run: (argv: CommandLine) => named.run(argv, { env: unnamed(named) }) };
    expectNothing(
      await pushShard(place, '1/4'),
      2,
      /the state folder \S+ is (?:below|on) .*; started again without it, a shard/,
    );
    expectEnd(await pushShard(place, '1/4', '--dry-run'), 0);
    expectEnd(await place.run('orders push orders.csv --dry-run'), 0);
    expectEnd(await pushShard(named, '1/4'), 0, 'sends its records twice');
  });

  test.each([
    ['/tmp/state/default/shop', 0xef53, expect.stringMatching(/^below \/tmp$/)],
    ['/var/lib/reviewctl', 0xef53, undefined],
    ['/var/lib/reviewctl', 0x01021994, 'on tmpfs, in the memory of this machine'],
    ['/var/lib/reviewctl', 0x794c7630, 'on the overlay file system of a container'],
  ])('is recognized: %s on a file system of type %i', (path, type, place) => {
    expect(ephemeralDisk(path, () => type)).toEqual(place);
  });
});

describe('the shard of a process', () => {
  const auto = { index: 'auto', count: 'auto' } as const;

  test.each([
    ['as it is typed', { index: 3, count: 8 }, { PARALLEL_SEQ: '1' }, { index: 3, count: 8 }],
    [
      'as Kubernetes numbers it',
      auto,
      { JOB_COMPLETION_INDEX: '0', JOB_COMPLETIONS: '8' },
      { index: 1, count: 8 },
    ],
    ['with a typed total', { ...auto, count: 8 }, { JOB_COMPLETION_INDEX: '7' }, { index: 8, count: 8 }],
    [
      'as AWS Batch numbers it',
      auto,
      { AWS_BATCH_JOB_ARRAY_INDEX: '2', AWS_BATCH_JOB_ARRAY_SIZE: '8' },
      { index: 3, count: 8 },
    ],
    ['as GNU parallel numbers it', { ...auto, count: 8 }, { PARALLEL_SEQ: '8' }, { index: 8, count: 8 }],
  ])('is found %s', (_, choice, env, shard) => {
    expect(findShard(choice, env)).toEqual(shard);
  });

  test.each([
    [auto, {}, 'none of JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX and PARALLEL_SEQ is set'],
    [auto, { PARALLEL_SEQ: '1' }, 'PARALLEL_SEQ is set, but the number of shards is not known'],
    [
      auto,
      { JOB_COMPLETION_INDEX: '1' },
      'JOB_COMPLETION_INDEX is set, but the number of shards is not known',
    ],
    [
      { ...auto, count: 8 },
      { JOB_COMPLETION_INDEX: '1', JOB_COMPLETIONS: '4' },
      'JOB_COMPLETIONS is 4, and --shard says 8',
    ],
    [
      { ...auto, count: 8 },
      { JOB_COMPLETION_INDEX: '1', PARALLEL_SEQ: '1' },
      'JOB_COMPLETION_INDEX and PARALLEL_SEQ are set, each by another scheduler',
    ],
    [
      { ...auto, count: 8 },
      { PARALLEL_SEQ: '9' },
      'PARALLEL_SEQ is 9, and the processes of 8 shards are 1 to 8',
    ],
    [
      { ...auto, count: 8 },
      { JOB_COMPLETION_INDEX: '8' },
      'JOB_COMPLETION_INDEX is 8, and the processes of 8 shards are 0 to 7',
    ],
    [
      auto,
      { JOB_COMPLETION_INDEX: 'x', JOB_COMPLETIONS: '8' },
      "JOB_COMPLETION_INDEX is 'x', which is not a number",
    ],
  ])('is not guessed: %o %o', (choice, env, message) => {
    expect(() => findShard(choice, env)).toThrow(message);
  });

  test.each(['0/4', '5/4', '4', '1/0', '', 'auto/0', '-1/4', '1/4/2'])('is not %j', async (shard) => {
    const place = await openPlace();
    expectEnd(await pushShard(place, shard), 2, '--shard');
  });
});

test('categories have no shards, and neither has a plan', async () => {
  const place = await openPlace();
  const file = place.write('categories.csv', ['originId,name', 'C1,Cups']);
  for (const verb of ['push', 'inspect']) {
    expectEnd(
      await place.run(`categories ${verb} ${file} --shard 1/2`),
      2,
      'categories are not split into shards',
    );
  }
  expectEnd(await pushShard(place, '1/4', '--plan-out orders.plan'), 2, 'a plan always covers all records');
});

test('inspect shows one shard, and the command that pushes it', async () => {
  const place = await openPlace();
  const file = place.write('orders.csv', [header, ...items]);
  const one = await place.run(`orders inspect ${file} --shard 2/4 -o json`);
  const { recordCount, elsewhereCount, commands } = JSON.parse(one.stdout);
  expect(recordCount + elsewhereCount).toBe(80);
  expect(recordCount).toBeLessThan(40);
  expect(commands[0]).toMatch(/ --shard 2\/4$/);
  const shown = await place.run(`orders inspect ${file} --shard 2/4 -o table`);
  expect(shown.stdout).toContain(`${recordCount} of 80 records to send, no problems`);
});

test('guards look at the whole input; a shard without records has nothing to do', async () => {
  const place = await openPlace();
  expectEnd(await pushShard(place, '1/4', '--expect-records 80 --dry-run'), 0);
  expectEnd(await pushShard(place, '1/4', '--expect-records ..79 --dry-run'), 7);
  const file = place.write('one.csv', [header, items[0] ?? '']);
  const empty = await place.run([`orders push ${file} --shard`, `${(shardOf('ORDER-0', 4) % 4) + 1}/4`]);
  expect(empty).toMatchObject({ exitCode: 0, stdout: '' });
  expect(empty.stderr).toMatch(/no records in shard \d\/4 of 1 record/);
});

test('the setting rate is the rate of all shards together', async () => {
  const place = await openPlace();
  const clock = new SkippingClock();
  const file = place.write('orders.csv', [header, ...items]);
  const flags = '--shard 1/4 -c rate=8 -c batch-size=1 -c concurrency=1';
  await place.run(`orders push ${file} ${flags}`, { clock });
  // This shard may use two of eight requests a second, one each half second.
  expect(Math.max(...clock.pauses)).toBe(500);
});

test('a 429 of one shard slows that one alone, beside it at the same service and in the same state folder', async () => {
  const place = await openPlace();
  const file = place.write('orders.csv', [header, ...items]);
  refuseOnce(place, 3, (body) =>
    items.some((item) => isOfFirst(item) && body.includes(`"${item.split(',')[1]}"`)),
  );
  const pushed = ['1/2', '2/2'].map(async (shard) => {
    const clock = new SkippingClock();
    const flags = `--shard ${shard} -c rate=8 -c batch-size=1 -c concurrency=1`;
    const { exitCode } = await place.run(`orders push ${file} ${flags}`, { clock });
    return { exitCode, longestPauseMs: Math.max(...clock.pauses) };
  });
  expect(await Promise.all(pushed)).toEqual([
    { exitCode: 0, longestPauseMs: 30_000 },
    { exitCode: 0, longestPauseMs: 250 },
  ]);
});

const isOfFirst = (item: string) => shardOf(item.split(',')[0] ?? '', 2) === 1;

/** Makes the service answer this number of matching requests with 429 and a Retry-After of 30 seconds. */
function refuseOnce(place: Place, times: number, isMeant: (body: string) => boolean): void {
  const { sandbox } = place.sandbox;
  const answer = sandbox.answer.bind(sandbox);
  let left = times;
  Object.assign(sandbox, {
    answer: async (request: Parameters<typeof answer>[0]) => {
      if (left === 0 || !isMeant(request.body ?? '')) return answer(request);
      left -= 1;
      const reply = { status: 429, headers: { 'retry-after': '30' }, body: '{"detail":"too many requests"}' };
      return { kind: 'reply', reply };
    },
  });
}

test('a shard makes no product group, since two shards could make it twice', async () => {
  const place = await openPlace({ products: 0 });
  const groupsOf = () =>
    place.sandbox.sandbox.transact(({ state }) => [...state.productGroups.values()].map(({ name }) => name));
  const file = place.write('products.csv', ['originId,name,groupName', 'P1,Cup,Cups', 'P2,Mug,Cups']);
  const shards = ['1/2', '2/2'];
  for (const flags of [['--dry-run'], []]) {
    for (const shard of shards) {
      const pushed = await place.run([`products push ${file} --shard ${shard}`, ...flags]);
      for (const { outcome, error } of recordsIn(pushed)) {
        expect(outcome).toBe('rejected');
        expect(error).toContain("no product group is named 'Cups', and several shards could make one each");
      }
    }
  }
  const first = place.write('first.csv', ['originId,name,groupName', 'P0,Jug,Cups']);
  expectEnd(await place.run(`products push ${first}`), 0);
  for (const shard of shards) expectEnd(await place.run(`products push ${file} --shard ${shard}`), 0);
  expect(groupsOf()).toEqual(['Cups']);
});
