import { expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import { trackJobs } from '../../src/push/track/track.ts';
import type { JobEnd, JournaledKind, KnownRecord } from '../../src/store/journal/push-journal.ts';
import { apiOver } from '../client/call.ts';
import { replyOf } from '../client/scripted-transport.ts';
import { collect } from './open-push.ts';
import { RacingClock } from './racing-clock.ts';

type Jobs = Readonly<Record<string, object | number>>;

interface Options {
  readonly kind?: JournaledKind;
  /** The states of jobs that the journal has seen end. */
  readonly seen?: readonly string[];
  readonly known?: Readonly<Record<string, Partial<KnownRecord>>>;
}

/** Follows the jobs of `outcomes` at a service that shows these jobs, or answers with a status in their place. */
async function followed(outcomes: readonly PushOutcome[], jobs: Jobs, options: Options = {}) {
  const { kind = 'order-item', seen = [], known = {} } = options;
  const asked: string[] = [];
  const ended: (readonly [JournaledKind, readonly JobEnd[]])[] = [];
  const counts: number[] = [];
  const api = apiOver(
    ({ path }) => {
      const jobId = path.split('/').at(-1) ?? '';
      asked.push(jobId);
      const job = jobs[jobId] ?? 404;
      return Promise.resolve(typeof job === 'number' ? replyOf(job) : replyOf(200, { jobId, ...job }));
    },
    { getJob: 'GET /admin/v2/job/{jobId}' },
  );
  const journal = {
    known: async () =>
      new Map(
        Object.entries(known).map(([originId, record]) => [
          originId,
          { fate: 'accepted', contentHash: 'h', jobId: undefined, ...record } as const,
        ]),
      ),
    endJobs: async (of: JournaledKind, ends: readonly JobEnd[]) => {
      ended.push([of, ends]);
    },
    jobs: async function* (state?: string) {
      if (seen.includes(state ?? '')) yield [];
    },
  };
  const tracked = await collect(
    trackJobs(streamOf([outcomes]), {
      api,
      clock: new RacingClock(),
      random: () => 0,
      journal,
      kind,
      waitMs: 1000,
      concurrency: 2,
      stopping: new AbortController().signal,
      onEnded: (count) => counts.push(count),
    }),
  );
  return { ...tracked, asked, ended, counts };
}

const queued = (originId: string, jobId: string): PushOutcome => ({
  file: 'a.csv',
  line: 2,
  originId,
  outcome: 'queued',
  jobId,
});
const made = (originId: string) => ({
  status: 'SUCCESS',
  entryOriginId: originId,
  successObjectId: `o-${originId}`,
});
const gone = 'the service does not show its job any more';

test('a job that is not shown any more leaves its record unknown, where another one was found', async () => {
  const { outcomes, error, ended, counts } = await followed([queued('A', '1'), queued('B', '2')], {
    1: made('A'),
  });
  expect(error).toBeUndefined();
  expect(outcomes).toEqual([
    { ...queued('A', '1'), outcome: 'created', id: 'o-A' },
    { ...queued('B', '2'), outcome: 'unknown', error: gone },
  ]);
  expect(ended).toEqual([
    [
      'order-item',
      [
        { originId: 'A', jobId: '1', state: 'succeeded', objectId: 'o-A' },
        { originId: 'B', jobId: '2', state: 'unknown', failureReason: gone },
      ],
    ],
  ]);
  expect(counts).toEqual([2]);
});

it.each(['succeeded', 'failed'])('so does it where an earlier run saw a job that %s', async (state) => {
  const { outcomes } = await followed([queued('A', '1')], {}, { seen: [state] });
  expect(outcomes).toMatchObject([{ outcome: 'unknown', error: gone }]);
});

test('where no job was ever found, the setting is doubted and the records stay queued', async () => {
  const { outcomes, error, asked, ended } = await followed([queued('A', '1')], {});
  expect(outcomes).toEqual([queued('A', '1')]);
  expect(error).toMatchObject({
    kind: 'not-found',
    hint: 'no job was ever found there: see that --assume getJob=… names the operation of your service',
    cause: expect.any(Error),
  });
  expect({ asked, ended }).toEqual({ asked: ['1'], ended: [] });
});

test('a job that is pending is asked for until the time is over', async () => {
  const { outcomes, asked, counts } = await followed([queued('A', '1'), queued('B', '2')], {
    1: { status: 'PENDING' },
    2: made('B'),
  });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['queued', 'created']);
  // After 100, 200, 400 and the 300 ms that are left of the second.
  expect(asked.filter((jobId) => jobId === '1')).toHaveLength(5);
  expect(asked.filter((jobId) => jobId === '2')).toHaveLength(1);
  expect(counts).toEqual([1, 0, 0, 0, 0]);
});

test('the order that went out with its items is ended with their job', async () => {
  const job = { ...made('O1'), entryOriginId: 'O1' };
  const { outcomes, ended } = await followed([queued('A', '1'), queued('B', '1')], { 1: job });
  expect(outcomes.map(({ id }) => id)).toEqual([undefined, undefined]);
  expect(ended.map(([kind]) => kind)).toEqual(['order-item', 'order']);
  expect(ended[1]?.[1]).toEqual([{ originId: 'O1', jobId: '1', state: 'succeeded', objectId: 'o-O1' }]);
});

test('of a job that is gone the journal knows the order', async () => {
  const options = { seen: ['failed'], known: { A: { orderOriginId: 'O1' } } };
  const { ended } = await followed([queued('A', '1')], {}, options);
  expect(ended[1]).toEqual([
    'order',
    [{ originId: 'O1', jobId: '1', state: 'unknown', failureReason: gone }],
  ]);
  const category = await followed([queued('A', '1')], {}, { ...options, kind: 'category' });
  expect(category.ended.map(([kind]) => kind)).toEqual(['category']);
});

it.each(['skipped', 'unknown'] as const)(
  'a record that is %s is followed where no run saw its job end',
  async (outcome) => {
    const passed = [
      { ...queued('A', '1'), outcome },
      { ...queued('B', '2'), outcome },
    ];
    const { outcomes, asked } = await followed(
      passed,
      { 1: made('A'), 2: made('B') },
      { known: { A: {}, B: { jobState: 'succeeded' } } },
    );
    expect(asked).toEqual(['1']);
    expect(outcomes).toEqual([{ ...queued('A', '1'), outcome: 'created', id: 'o-A' }, passed[1]]);
  },
);

test('a job that cannot be asked for ends the asking, and the outcomes are told', async () => {
  const { outcomes, error } = await followed([queued('A', '1')], { 1: 401 });
  expect(outcomes).toEqual([queued('A', '1')]);
  expect(error).toMatchObject({ kind: 'not-authenticated' });
});
