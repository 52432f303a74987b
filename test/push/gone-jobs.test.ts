import { expect, it, test } from 'vitest';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import { trackJobs } from '../../src/push/track/track.ts';
import type { JournaledKind, KnownRecord, PushJournal } from '../../src/store/journal/push-journal.ts';
import { apiOver } from '../client/call.ts';
import { replyOf } from '../client/scripted-transport.ts';
import { knownRecords } from './listing-service.ts';
import { collect } from './open-push.ts';
import { RacingClock } from './racing-clock.ts';

/** By id, a job or the HTTP status of its request; a list has one for each request. */
type Jobs = Readonly<Record<string, Shown | readonly Shown[]>>;
type Shown = object | number;

interface Options {
  readonly kind?: JournaledKind;
  /** The states of ended jobs in the journal. */
  readonly seen?: readonly string[];
  readonly known?: Readonly<Record<string, Partial<KnownRecord>>>;
  /** Batches that arrive after the first one was tracked. */
  readonly later?: readonly (readonly PushOutcome[])[];
  /** The error of journal writes. */
  readonly full?: Error;
  /** The first request for this job stops the run. */
  readonly stopsAt?: string;
}

/** Tracks the jobs of `outcomes` at a service with these jobs or HTTP statuses. */
async function followed(outcomes: readonly PushOutcome[], jobs: Jobs, options: Options = {}) {
  const { kind = 'order-item', seen = [], known = {}, later = [], stopsAt, full } = options;
  const asked: string[] = [];
  const stopping = new AbortController();
  const ended: Parameters<PushJournal['endJobs']>[] = [];
  const counts: number[] = [];
  const api = apiOver(
    async ({ path }) => {
      // Delays the reply, as a network does, so that all requests begin first.
      await new Promise(setImmediate);
      const jobId = path.split('/').at(-1) ?? '';
      asked.push(jobId);
      if (jobId === stopsAt) stopping.abort();
      const shown = jobs[jobId] ?? 404;
      const times = asked.filter((one) => one === jobId).length;
      const job = Array.isArray(shown) ? shown[times - 1] : shown;
      return typeof job === 'number' ? replyOf(job) : replyOf(200, { jobId, ...job });
    },
    { getJob: 'GET /admin/v2/job/{jobId}' },
  );
  const journal = {
    known: async (_: JournaledKind, originIds: readonly string[]) => {
      return new Map([...knownRecords(known)].filter(([originId]) => originIds.includes(originId)));
    },
    endJobs: async (...args: Parameters<PushJournal['endJobs']>) => {
      if (full !== undefined) throw full;
      ended.push(args);
    },
    jobs: async function* (state?: string) {
      if (seen.includes(state ?? '')) yield [];
    },
  };
  async function* batches() {
    yield outcomes;
    for (const batch of later) {
      // By then the service has answered all requests.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      yield batch;
    }
  }
  const tracked = await collect(
    trackJobs(batches(), {
      api,
      clock: new RacingClock(),
      random: () => 0,
      journal,
      kind,
      waitMs: 1000,
      concurrency: 2,
      stopping: stopping.signal,
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
const gone = 'the service no longer shows its job';

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
      [],
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
    hint: 'no job was ever found: check that -c get-job=… names the operation of your service',
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
  // After 100, 200, 400 and the remaining 300 ms of the second.
  expect(asked.filter((jobId) => jobId === '1')).toHaveLength(5);
  expect(asked.filter((jobId) => jobId === '2')).toHaveLength(1);
  expect(counts).toEqual([1, 0, 0, 0, 0]);
});

test('the order that went out with its items is ended with their job, in one write', async () => {
  const job = { ...made('O1'), entryOriginId: 'O1' };
  const orderEnd = { originId: 'O1', jobId: '1', state: 'succeeded', objectId: 'o-O1' };
  const { outcomes, ended } = await followed([queued('A', '1'), queued('B', '1')], { 1: job });
  expect(outcomes.map(({ id }) => id)).toEqual([undefined, undefined]);
  expect(ended).toMatchObject([['order-item', [{ originId: 'A' }, { originId: 'B' }], [orderEnd]]]);
});

test('of a job that is gone the journal knows the order', async () => {
  const options = { seen: ['failed'], known: { A: { orderOriginId: 'O1' } } };
  const { ended } = await followed([queued('A', '1')], {}, options);
  expect(ended[0]?.[2]).toEqual([{ originId: 'O1', jobId: '1', state: 'unknown', failureReason: gone }]);
  const category = await followed([queued('A', '1')], {}, { ...options, kind: 'category' });
  expect(category.ended).toMatchObject([['category', [{ originId: 'A' }], []]]);
});

test('a job that names no record ends the order that the journal has for its item', async () => {
  const { ended } = await followed(
    [queued('A', '1')],
    { 1: { successObjectId: 'o-1' } },
    { known: { A: { orderOriginId: 'O1' } } },
  );
  expect(ended[0]?.[2]).toMatchObject([{ originId: 'O1', jobId: '1' }]);
});

const other = 'asked for its job, the service returned another one, or that of another record';

it.each([
  ['another job', { jobId: '9', ...made('A') }],
  ['another job that is pending', { jobId: '9', status: 'PENDING' }],
  ['the job of another record', made('GHOST')],
  ['the failed job of another record', { entryOriginId: 'GHOST', failureReason: 'no such product' }],
])('a record whose job is shown as %s is unknown, and no other is taken for it', async (_, shown) => {
  for (const kind of ['category', 'order-item'] as const) {
    const records = [queued('A', '1'), queued('B', '2')];
    const { outcomes, error, ended } = await followed(
      records,
      { 1: shown, 2: made('B') },
      { kind, known: { A: { orderOriginId: 'O1' } } },
    );
    expect(error).toBeUndefined();
    expect(outcomes).toEqual([
      { ...queued('A', '1'), outcome: 'unknown', error: other },
      { ...queued('B', '2'), outcome: 'created', id: 'o-B' },
    ]);
    expect(ended[0]?.[1]).toMatchObject([
      { originId: 'A', state: 'unknown', failureReason: other },
      { originId: 'B', state: 'succeeded' },
    ]);
    const orderEnd = { originId: 'O1', jobId: '1', state: 'unknown', failureReason: other };
    expect(ended[0]?.[2]).toEqual(kind === 'category' ? [] : [orderEnd]);
  }
});

test('a job that names the order of its item is of that item', async () => {
  const { outcomes } = await followed(
    [queued('A', '1')],
    { 1: made('O1') },
    { known: { A: { orderOriginId: 'O1' } } },
  );
  expect(outcomes).toMatchObject([{ outcome: 'created' }]);
});

it.each(['..', 'a/../b'])('a job with the id %j is not asked for, and holds up no other', async (jobId) => {
  const { outcomes, error, asked } = await followed([queued('A', jobId), queued('B', '2')], { 2: made('B') });
  expect({ error, asked }).toEqual({ error: undefined, asked: ['2'] });
  expect(outcomes).toMatchObject([
    { outcome: 'unknown', error: 'its job has an id that cannot be looked up' },
    { outcome: 'created' },
  ]);
});

it.each(['skipped', 'unknown'] as const)(
  'a record that is %s is followed where no run saw its job end',
  async (outcome) => {
    const passed = [
      { ...queued('A', '1'), outcome },
      { ...queued('B', '2'), outcome },
      { ...queued('C', '3'), outcome },
      { ...queued('D', '4'), outcome: 'failed' },
    ] as const;
    const { outcomes, asked } = await followed(
      passed,
      { 1: made('A'), 2: made('B'), 3: made('C') },
      { known: { A: {}, B: { jobState: 'succeeded' } } },
    );
    expect(asked).toEqual(['1', '3']);
    expect(outcomes).toEqual([
      { ...queued('A', '1'), outcome: 'created', id: 'o-A' },
      passed[1],
      { ...queued('C', '3'), outcome: 'created', id: 'o-C' },
      passed[3],
    ]);
  },
);

test('nothing is asked for records that have no job, or whose job has ended', async () => {
  const settled: PushOutcome[] = [
    { file: 'a.csv', line: 2, originId: 'A', outcome: 'skipped' },
    { file: 'a.csv', line: 3, originId: 'B', outcome: 'queued' },
    { ...queued('C', '1'), outcome: 'failed' },
  ];
  const { outcomes, ...did } = await followed(settled, {}, { kind: 'category' });
  expect(outcomes).toEqual(settled);
  expect(did).toEqual({ asked: [], ended: [], counts: [] });
});

test('no more jobs are asked for once one cannot be, neither in its batch nor later', async () => {
  const batch = [queued('A', '1'), queued('B', '2'), queued('C', '3')];
  const later = [[queued('D', '4')]];
  const { outcomes, error, asked, counts } = await followed(batch, { 1: 401, 2: made('B') }, { later });
  expect(asked).toEqual(['1', '2']);
  expect(counts).toEqual([]);
  expect(error).toMatchObject({ kind: 'not-authenticated' });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['queued', 'created', 'queued', 'queued']);
});

test('told to stop while jobs are asked for, it asks no more and tells what has ended', async () => {
  const batch = [queued('A', '1'), queued('B', '2'), queued('C', '3')];
  const { outcomes, error, asked, counts } = await followed(
    batch,
    { 1: made('A'), 2: { status: 'PENDING' } },
    { stopsAt: '1' },
  );
  expect(error).toBeUndefined();
  expect({ asked, counts }).toEqual({ asked: ['1', '2'], counts: [] });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'queued', 'queued']);
});

const pending = { status: 'PENDING' };

it.each([
  ['ends in time, be it at the last moment', made('A'), ['created', 'created']],
  ['does not end in time', pending, ['queued', 'queued']],
])('a job that is waited for shortens the wait for later ones only if it %s', async (_, last, words) => {
  const { outcomes } = await followed(
    [queued('A', '1')],
    { 1: [pending, pending, pending, pending, last], 2: [pending, made('B')] },
    { later: [[queued('B', '2')]] },
  );
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(words);
});

test('a job that names no order, or the item itself, ends none', async () => {
  const { ended } = await followed([queued('A', '1'), queued('B', '2')], {
    1: { ...made('A'), entryOriginId: null },
    2: made('B'),
  });
  expect(ended).toMatchObject([['order-item', [{ originId: 'A' }, { originId: 'B' }], []]]);
});

test('a journal that fails ends the push after the outcomes', async () => {
  const full = new Error('the disk is full');
  const { outcomes, error } = await followed([queued('A', '1')], { 1: made('A') }, { full });
  expect(outcomes).toMatchObject([{ outcome: 'created' }]);
  expect(error).toBe(full);
});
