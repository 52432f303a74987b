import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { seededRandom } from '../../src/base/random.ts';
import { runProgram } from '../../src/cli/program.ts';
import { writeReview } from '../../src/sandbox/data/consumers.ts';
import { draftReview } from '../../src/sandbox/data/phrases.ts';
import { serveHttp } from '../client/loopback.ts';
import { capturedStreams } from '../output/captured-streams.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { openReviewPlace, type ReviewPlace } from './review-place.ts';
import type { CliResult } from './run-cli.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

const reviewsAtStart = 12;

let place: ReviewPlace;

beforeEach(async () => {
  place = await openReviewPlace({ orders: 40, reviews: reviewsAtStart });
});

/** What happens in one pause between two looks. */
type Step = () => unknown;

/** The pauses of a run, each filled with a step; after the last one the run is interrupted. */
function pausesOf(steps: readonly Step[], service: ManualClock) {
  const stop = new AbortController();
  const left = [...steps];
  const pausesMs: number[] = [];
  const clock: Clock = {
    now: () => service.now(),
    monotonicMs: () => service.monotonicMs(),
    sleep: async (ms, signal) => {
      pausesMs.push(ms);
      service.advance(ms);
      const step = left.shift();
      if (step === undefined) stop.abort(new Failure('interrupted', 'interrupted before the end'));
      else step();
      signal?.throwIfAborted();
    },
  };
  return { clock, stopping: stop.signal, pausesMs };
}

async function follow(
  argv: readonly string[],
  steps: readonly Step[] = [],
  options: ProgramOptions & { readonly service?: ManualClock } = {},
): Promise<CliResult & { readonly pausesMs: readonly number[] }> {
  const { service = place.clock, ...more } = options;
  const { pausesMs, ...pauses } = pausesOf(steps, service);
  const [noun = '', ...flags] = argv;
  const command = [noun, 'list', '--follow', '--retries', '0', ...flags];
  const result = await runInProcess(command, { env: place.env, ...pauses, ...more });
  return { ...result, pausesMs };
}

const idsOf = ({ stdout }: Pick<CliResult, 'stdout'>) => stdout.split('\n').filter((line) => line !== '');

/** Changes one of the reviews at the time of the service. */
function change(position: number): void {
  place.sandbox.sandbox.transact(({ state, now }) => {
    const review = [...state.reviews.values()][position];
    if (review === undefined) throw new Error('no such review');
    state.reviews.put({ ...review, text: `${review.text}!`, updatedAt: now });
  });
}

const allIds = () => [...place.sandbox.sandbox.state.reviews.values()].map(({ id }) => id);
const idAt = (position: number) => allIds()[position] ?? '';

/** Writes a new review; returns the id of its reward. */
function write(): string {
  return place.sandbox.sandbox.transact((visit) => {
    const reviewed = new Set([...visit.state.reviews.values()].map(({ orderItemId }) => orderItemId));
    const item = [...visit.state.orderItems.values()].find(({ id }) => !reviewed.has(id));
    if (item === undefined) throw new Error('every item is reviewed');
    return writeReview(visit, item, draftReview(seededRandom(1))).reward.id;
  });
}

/** What a run on a pipe prints whose reader is gone. */
async function followClosed(steps: readonly Step[]) {
  const { pausesMs, ...pauses } = pausesOf(steps, place.clock);
  const streams = capturedStreams();
  streams.stdout._write = (_chunk, _encoding, done) =>
    done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  const exitCode = await runProgram(['reviews', 'list', '--follow'], {
    streams,
    stdin: Readable.from([]),
    env: place.env,
    cwd: import.meta.dirname,
    random: seededRandom(1),
    ...pauses,
  });
  return { exitCode, stderr: streams.errorText(), pauses: pausesMs.length };
}

const following = 'following reviews written or changed, every 30 s; Ctrl-C ends it\n';

describe('--follow', () => {
  test('prints what changes from now on, each change once, the oldest of a look first', async () => {
    const steps = [
      () => {
        change(5);
        place.clock.advance(3000);
        change(2);
      },
      () => undefined,
      () => change(5),
    ];
    const { exitCode, stdout, stderr, pausesMs } = await follow(['reviews', '-o', 'ids'], steps);
    expect(idsOf({ stdout })).toEqual([idAt(5), idAt(2), idAt(5)]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: `${following}3 reviews\n` });
    expect(pausesMs).toEqual([30_000, 30_000, 30_000, 30_000]);
  });

  test('of rewards prints those of new reviews, as NDJSON in a pipe', async () => {
    let reward = '';
    const step = () => {
      reward = write();
    };
    const { stdout } = await follow(['rewards', '--interval', '5s'], [step]);
    expect(stdout.split('\n').map((line) => (line === '' ? '' : JSON.parse(line).id))).toEqual([reward, '']);
  });

  test('with --since begins with the records since then', async () => {
    const { stdout } = await follow(['reviews', '--since', '400d', '-o', 'ids'], [() => change(3)]);
    const ids = idsOf({ stdout });
    expect(ids.slice(0, reviewsAtStart).toSorted()).toEqual(allIds().toSorted());
    expect(ids.slice(reviewsAtStart)).toEqual([idAt(3)]);
  });

  test('with --since-last continues from its last run and keeps its place after every look', async () => {
    const last = ['--since-last', 'nightly', '-o', 'ids'];
    await runInProcess(['reviews', 'list', ...last], { env: place.env, clock: place.clock });
    place.clock.advance(5000);
    change(1);
    const run = await follow(['reviews', ...last], [() => change(4), () => change(4)]);
    expect(idsOf(run)).toEqual([idAt(1), idAt(4), idAt(4)]);
    expect(run.stderr).toBe(`${following}3 reviews; the next run for 'nightly' continues from here\n`);
    const next = await runInProcess(['reviews', 'list', ...last], { env: place.env, clock: place.clock });
    expect(next.stdout).toBe('');
  });

  test.each([
    ['a day behind', -86_400_000],
    ['a day ahead', 86_400_000],
  ])('misses nothing of a service whose clock is %s', async (_, skewMs) => {
    const own = new ManualClock();
    place.clock.advance(86_400_000 * 3);
    own.advance(86_400_000 * 3 - skewMs);
    const step = () => {
      place.clock.advance(30_000);
      change(6);
    };
    const run = await follow(['reviews', '-o', 'ids'], [step, step], { service: own });
    expect(idsOf(run)).toEqual([idAt(6), idAt(6)]);
  });

  test('shows a table on a terminal, with its header once and whole times', async () => {
    const steps = [() => change(5), () => change(2)];
    const { stdout } = await follow(['reviews', '--fields', 'id,createdAt,text'], steps, {
      isOutputTerminal: true,
      env: { ...place.env, NO_COLOR: '1' },
    });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual(['ID', idAt(5), idAt(2)]);
    expect(lines[1]).toMatch(/20\d\d-\d\d-\d\d \d\d:\d\d\+09:00/);
    expect(Math.max(...lines.map((line) => line.trimEnd().length))).toBeLessThanOrEqual(80);
  });

  test('ends quietly when its reader goes away', async () => {
    const closed = await followClosed([() => change(5), () => change(2)]);
    expect(closed).toEqual({ exitCode: 0, stderr: following, pauses: 1 });
  });
});

describe('a look that fails', () => {
  const faults = (rates: object) => () => {
    place.sandbox.sandbox.faults.rates = rates;
  };

  test('is warned of once and made again; nothing is lost or printed twice', async () => {
    const steps = [
      () => change(5),
      () => {
        change(2);
        faults({ error: 1 })();
      },
      () => change(3),
      faults({}),
      () => undefined,
    ];
    const { exitCode, stdout, stderr } = await follow(['reviews', '-o', 'ids'], steps);
    expect(idsOf({ stdout })).toEqual([idAt(5), idAt(2), idAt(3)]);
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(
      /^following .*\nwarning: listReviews: .*\nhint: the list is read again after each pause; Ctrl-C ends it\nthe list can be read again\n3 reviews\n$/,
    );
  });

  test('for want of permission ends the run, and so does the first one', async () => {
    const { url, seen } = await serveHttp((_incoming, outgoing) => {
      const isFirst = seen.length === 1;
      outgoing
        .writeHead(isFirst ? 200 : 401)
        .end('{"data":[],"totalCount":0,"pageInfo":{"hasNextPage":false}}');
    });
    const env = { ...place.env, REVIEWCTL_BASE_URL: url };
    const refused = await follow(['reviews'], [() => undefined], { env });
    expect(refused.exitCode).toBe(4);
    const dead = { ...place.env, REVIEWCTL_BASE_URL: 'http://127.0.0.1:9' };
    const { exitCode, stderr, pausesMs } = await follow(['reviews'], [() => undefined], { env: dead });
    expect({ exitCode, pausesMs }).toEqual({ exitCode: 5, pausesMs: [] });
    expect(stderr).toContain('connection refused');
  });

  test('is made again no earlier than the service asks for', async () => {
    const { url, seen } = await serveHttp((_incoming, outgoing) => {
      if (seen.length === 2) outgoing.writeHead(429, { 'retry-after': '600' }).end('{}');
      else outgoing.end('{"data":[],"totalCount":0,"pageInfo":{"hasNextPage":false}}');
    });
    const env = { ...place.env, REVIEWCTL_BASE_URL: url };
    const { pausesMs } = await follow(['reviews'], [() => undefined, () => undefined], { env });
    expect(pausesMs).toEqual([30_000, 600_000, 30_000]);
  });
});

test('more changes than can be put in order are printed all the same, each once', async () => {
  const count = 10_150;
  const pageSize = 100;
  const { url } = await serveHttp((incoming, outgoing) => {
    const { searchParams } = new URL(incoming.url ?? '', 'http://localhost');
    const from = Number(searchParams.get('after') ?? 0);
    const data = Array.from({ length: Math.min(pageSize, count - from) }, (_, index) => ({
      id: `r${from + index}`,
      updatedAt: '2026-01-01T00:00:00Z',
    }));
    const hasNextPage = from + pageSize < count;
    const pageInfo = { hasNextPage, endCursor: String(from + pageSize) };
    outgoing.end(JSON.stringify({ totalCount: count, data, pageInfo }));
  });
  const env = { ...place.env, REVIEWCTL_BASE_URL: url };
  const { stdout } = await follow(['reviews', '--since-last', 'a', '-o', 'ids'], [() => undefined], { env });
  const ids = idsOf({ stdout });
  expect({ printed: ids.length, different: new Set(ids).size }).toEqual({ printed: count, different: count });
});

test.each([
  ['products', [], '--follow: the service does not show when a product was changed'],
  ['reviews', ['-o', 'json'], '--follow prints records as they come, which -o json does not'],
  ['reviews', ['-o', 'count'], '--follow prints records as they come, which -o count does not'],
  ['reviews', ['--limit', '5'], '--limit would skip changes permanently'],
  ['reviews', ['--updated-at-start', '7d'], '--updated-at-start is set by --follow itself'],
  ['reviews', ['--updated-at-end', '7d'], '--updated-at-end would leave out what changes later'],
  ['reviews', ['--sort', 'CREATED_AT'], '--sort: in an order other than UPDATED_AT'],
  ['reviews', ['--parallel', '4'], '--follow reads by time of change, not in windows of createdAt'],
  ['reviews', ['--interval', '500ms'], "--interval: '500ms' expected 1s or more"],
])('%s list --follow is refused with the reason: %j', async (noun, flags, why) => {
  const { exitCode, stdout, stderr } = await follow([noun, ...flags]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(why);
});

test('--interval without --follow is refused, and neither is a setting that makes lists endless', async () => {
  const alone = await runInProcess(['reviews', 'list', '--interval', '5s'], { env: place.env });
  expect(alone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('without --follow') as string });
  const set = await runInProcess(['reviews', 'list', '-o', 'count'], {
    env: { ...place.env, REVIEWCTL_INTERVAL: '5s', REVIEWCTL_FOLLOW: 'true' },
  });
  expect(set).toMatchObject({ exitCode: 0, stdout: `${reviewsAtStart}\n` });
});
