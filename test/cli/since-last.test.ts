import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { seededRandom } from '../../src/base/random.ts';
import { runProgram } from '../../src/cli/run-process.ts';
import { writeReview } from '../../src/sandbox/data/consumers.ts';
import { draftReview } from '../../src/sandbox/data/phrases.ts';
import { stateLocks } from '../../src/store/open-store.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { capturedStreams } from '../output/captured-streams.ts';
import { countRequests } from '../sandbox/count-requests.ts';
import { openReviewPlace, type ReviewPlace } from './review-place.ts';
import { type CliResult, expectEnd, expectNothing, runShell } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const reviewsAtStart = 150;

let place: ReviewPlace;

beforeEach(async () => {
  place = await openReviewPlace({ orders: 200, reviews: reviewsAtStart });
});

function list(noun: string, ...flags: string[]): Promise<CliResult> {
  return runInProcess([`${noun} list --since-last nightly -o ids`, ...flags], { env: place.env });
}

const idsOf = ({ stdout }: CliResult) => stdout.split('\n').filter((line) => line !== '');

/** Changes one of the reviews at the service's current time; returns its id. */
function changeReview(position: number): string {
  return place.sandbox.sandbox.transact(({ state, now }) => {
    const review = [...state.reviews.values()][position];
    if (review === undefined) throw new Error('no such review');
    state.reviews.put({ ...review, text: `${review.text}!`, updatedAt: now });
    return review.id;
  });
}

test('the first run of a list that is empty warns of nothing', async () => {
  const { stderr } = expectNothing(await list('reviews', '--product-origin-ids none'), 0);
  expect(stderr).toBe("no reviews, the first run for 'nightly'\n");
});

function stateFile(): string {
  const host = new URL(place.sandbox.baseUrl).host.replace(':', '_');
  const folder = join(place.env['REVIEWCTL_STATE_DIR'] ?? '', 'default', host);
  return join(folder, 'since-last-listReviews-nightly.json');
}

test('the first run shows everything, the next ones what changed, each change once', async () => {
  const first = await list('reviews');
  expect({ count: idsOf(first).length, stderr: first.stderr }).toEqual({
    count: reviewsAtStart,
    stderr: "150 of 150 reviews, the first run for 'nightly'\n",
  });
  expect(await list('reviews')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: "no reviews changed since the last run for 'nightly'\n",
  });
  place.clock.advance(5_000);
  const one = changeReview(7);
  const changed = await list('reviews');
  expect(changed).toEqual({
    exitCode: 0,
    stdout: `${one}\n`,
    stderr: "1 of 1 review changed since the last run for 'nightly'\n",
  });
  expect(idsOf(await list('reviews'))).toEqual([]);
});

test('records of the very second at which the last run ended are neither lost nor shown again', async () => {
  await list('reviews');
  place.clock.advance(5_000);
  const [one, other] = [changeReview(3), changeReview(4)];
  expect(idsOf(await list('reviews')).sort()).toEqual([one, other].sort());
  const late = changeReview(5);
  const again = changeReview(4);
  expect(idsOf(await list('reviews')).sort()).toEqual([late, again].sort());
  expect(idsOf(await list('reviews'))).toEqual([]);
});

test('the service is asked for no more than what may have changed', async () => {
  const pagesAsked = countRequests(place.sandbox.sandbox, 'GET /admin/v2/reviews');
  await list('reviews');
  expect(pagesAsked()).toBe(2);
  place.clock.advance(86_400_000);
  changeReview(0);
  await list('reviews');
  expect(pagesAsked()).toBe(3);
});

test('names, and lists of one name, know nothing of each other', async () => {
  await list('reviews');
  expect(idsOf(await list('rewards'))).toHaveLength(reviewsAtStart);
  const other = await runInProcess('reviews list --since-last weekly -o count', {
    env: place.env,
  });
  expect(other.stdout).toBe('150\n');
});

test('-o none begins here: nothing is shown, and nothing of before is shown later', async () => {
  const { stdout } = await list('reviews', '-o none');
  expect(stdout).toBe('');
  expect(idsOf(await list('reviews'))).toEqual([]);
});

test('rewards are those of reviews written since', async () => {
  await list('rewards');
  place.clock.advance(60_000);
  const rewardId = place.sandbox.sandbox.transact((visit) => {
    const reviewed = new Set([...visit.state.reviews.values()].map(({ orderItemId }) => orderItemId));
    const item = [...visit.state.orderItems.values()].find(({ id }) => !reviewed.has(id));
    if (item === undefined) throw new Error('every item is reviewed');
    return writeReview(visit, item, draftReview(seededRandom(1))).reward.id;
  });
  expect(idsOf(await list('rewards'))).toEqual([rewardId]);
});

test('whoever is not given again what was printed is told to keep it', async () => {
  place.sandbox.sandbox.faults.rates = { error: 0.3 };
  const failed = expectEnd(await list('reviews', '-c retries=0 -c page-size=5'), 5);
  expect(idsOf(failed)).not.toEqual([]);
  expect(failed.stderr).toContain('warning: printed records are not printed again\nhint: append the output');
});

test('a reader that went away is not given again what it was given', async () => {
  const cut = await runShell(
    'reviewctl reviews list --since-last nightly -c page-size=5 -o ids | head -1',
    place,
  );
  expect({ exitCode: cut.exitCode, stderr: cut.stderr }).toEqual({ exitCode: 0, stderr: '' });
  const rest = idsOf(await list('reviews'));
  expect(rest).not.toContain(idsOf(cut)[0]);
  expect(rest.length).toBeLessThan(reviewsAtStart);
  expect(idsOf(await list('reviews'))).toEqual([]);
});

describe('the next run begins where this one did when', () => {
  const firstRun = "150 of 150 reviews, the first run for 'nightly'\n";

  test('the reader went away before one array was whole', async () => {
    const cut = await runShell(
      'reviewctl reviews list --since-last nightly -c page-size=5 -o json | head -1',
      place,
    );
    expect({ exitCode: cut.exitCode, stderr: cut.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect((await list('reviews')).stderr).toBe(firstRun);
  });

  test('the disk was full', async () => {
    expectEnd(await runShell('reviewctl reviews list --since-last nightly > /dev/full', place), 1);
    const part = '(ulimit -f 64; reviewctl reviews list --since-last nightly > "$HOME/part")';
    expectEnd(await runShell(part, place), 1, 'could not write to stdout: EFBIG');
    expect((await list('reviews')).stderr).toBe(firstRun);
  });

  test('it was interrupted, even after the last record', async () => {
    const stopping = new AbortController();
    const streams = capturedStreams();
    streams.stdout._write = (_chunk, _encoding, done) => {
      stopping.abort(new Failure('interrupted', 'interrupted before the end'));
      done();
    };
    await runProgram(['reviews', 'list', '--since-last', 'nightly', '-o', 'json', '--ratings', '5'], {
      streams,
      stdin: Readable.from([]),
      env: place.env,
      cwd: import.meta.dirname,
      clock: systemClock,
      random: seededRandom(1),
      stopping: stopping.signal,
    });
    expect(stopping.signal.aborted).toBe(true);
    expect((await list('reviews')).stderr).toBe(firstRun);
  });

  test('the service failed on the way', async () => {
    place.sandbox.sandbox.faults.rates = { error: 1 };
    expectEnd(await list('reviews', '-c retries=0'), 5);
    place.sandbox.sandbox.faults.rates = {};
    expect((await list('reviews')).stderr).toBe(firstRun);
  });
});

test('while one run of a name goes on, a second one is exit 9', async () => {
  await list('reviews');
  const lock = await stateLocks(stateLocation(dirname(stateFile()))).acquire(basename(stateFile()), 'list');
  const { exitCode, stdout, stderr } = await list('reviews');
  await lock.release();
  expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
  expect(stderr).toContain('another run of reviewctl list --since-last nightly is under way');
});

test('a name that was used for other filters is refused with the remedy', async () => {
  await list('reviews');
  expectNothing(
    await list('reviews', '--created-at-start 7d --is-visible true'),
    2,
    'it is about a list with the filters {}',
    'hint: choose another name for --since-last, or remove it',
  );
});

test('filters count as they were typed, and the order that --since-last reads by is none', async () => {
  const filters = '--created-at-start 400d';
  await list('reviews', filters);
  place.clock.advance(60_000);
  expectEnd(await list('reviews', filters, '--sort UPDATED_AT'), 0);
});

test('what another account has seen is refused', async () => {
  await list('reviews');
  expectEnd(
    await runInProcess('reviews list --since-last nightly', {
      env: { ...place.env, REVIEWCTL_TOKEN: 'another-token' },
    }),
    2,
    'it is about the list of another account',
  );
});

test.each([
  ['products', [], 'the service does not show when a product was changed'],
  ['product-groups', [], 'the service cannot list product groups by time of change'],
  ['reviews', ['--limit 5'], '--limit would skip changes permanently'],
  ['reviews', ['--after x'], '--after would skip changes permanently'],
  ['rewards', ['--updated-at-start 7d'], '--updated-at-start is set by --since-last itself'],
  [
    'reviews',
    ['--since-last ../../etc'],
    "--since-last: expected a name of letters, digits, -, _ and dots, not '../../etc'",
  ],
])('%s list --since-last is refused with the reason: %j', async (noun, flags, why) => {
  expectNothing(await list(noun, ...flags), 2, why);
});
