import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { programPath } from '../cli/run-cli.ts';
import { jobsFor, recordsIn, standInShop } from './serve-stand-in.ts';

const bulk = 'POST /admin/v2/order-items/bulk';
const getJob = ['-c', 'get-job=GET /admin/v2/job/{jobId}'];

/** One job per entry, with these signs of its state. */
const jobsOf = (body: Json, signs: JsonObject) =>
  jobsFor(body, { successObjectId: null, failureReason: null, createdAt: '2026-11-20T00:00:00Z', ...signs });

/** A shop that accepts order items. `lookUp` returns the later state of a job; undefined if the job is gone. */
async function jobShop(
  signs: JsonObject,
  lookUp: (originId: string) => JsonObject | undefined = () => signs,
) {
  const shop = await standInShop({
    [bulk]: ({ body }) => jobsOf(body, signs),
    'GET /admin/v2/job/{}': ({ ids: [jobId = ''] }, outgoing) => {
      const shown = lookUp(jobId.slice('J-'.length));
      if (shown !== undefined) return { ...jobsOf([{ originId: jobId.slice(2) }], shown)[0] };
      return outgoing.writeHead(404).end('{"detail":"Not Found"}');
    },
  });
  const write = (...originIds: readonly string[]) =>
    shop.writeLines('items.csv', [
      'orderOriginId,originId,productOriginId',
      ...originIds.map((id) => `O,${id},P`),
    ]);
  write('A', 'B');
  const push = (...flags: readonly string[]) => shop.cli('orders', 'push', 'items.csv', ...flags);
  return { ...shop, write, push };
}

const wordsIn = (result: { readonly stdout: string }) => recordsIn(result).map(({ outcome }) => outcome);

test.each(['QUEUED', 'WAITING', 'IN_PROGRESS', 'ACCEPTED'])(
  'items whose jobs are %s without an end are queued, and no rerun sends them again',
  async (status) => {
    const shop = await jobShop({ status, endedAt: null });
    const first = await shop.push();
    expect({ exitCode: first.exitCode, words: wordsIn(first) }).toEqual({
      exitCode: 0,
      words: ['queued', 'queued'],
    });
    for (const again of [await shop.push(), await shop.push()]) {
      expect({ exitCode: again.exitCode, words: wordsIn(again) }).toEqual({
        exitCode: 0,
        words: ['skipped', 'skipped'],
      });
    }
    expect(shop.countOf(bulk)).toBe(1);
  },
);

test('an unfamiliar status is named once, with the settings that teach it', async () => {
  const { push } = await jobShop({ status: 'WAITING', endedAt: null });
  const { stderr } = await push();
  expect(stderr.match(/unfamiliar status WAITING/g)).toHaveLength(1);
  expect(stderr).toContain('-c pending-job-statuses=PENDING,RUNNING,STARTED,PROCESSING,WAITING');
  expect((await push('--resend', 'all', '-c', 'pending-job-statuses=WAITING')).stderr).not.toContain(
    'unfamiliar',
  );
});

test('an unfamiliar status with an end is unknown, exit 11, and never sent again by itself', async () => {
  const shop = await jobShop({ status: 'CLOSED', endedAt: '2026-11-20T00:00:01Z' });
  for (const result of [await shop.push(), await shop.push()]) {
    expect({ exitCode: result.exitCode, words: wordsIn(result) }).toEqual({
      exitCode: 11,
      words: ['unknown', 'unknown'],
    });
    expect(recordsIn(result)[0]).toMatchObject({ jobId: 'J-A', error: expect.stringContaining('job') });
  }
  expect(shop.countOf(bulk)).toBe(1);
});

test('records of an unknown job are decided by the setting that teaches its status, and by a person', async () => {
  const shop = await jobShop({ status: 'CLOSED', endedAt: '2026-11-20T00:00:01Z' });
  await shop.push('--wait=1s', ...getJob);
  expect(recordsIn(await shop.cli('jobs', 'list', '--unknown'))).toMatchObject([
    { jobId: 'J-A', state: 'unknown', failureReason: expect.stringContaining('CLOSED') },
    { jobId: 'J-B', state: 'unknown' },
  ]);
  const resolved = await shop.cli('runs', 'resolve', 'last', '--sent', 'A', '--yes');
  expect(resolved.exitCode).toBe(0);
  const taught = await shop.cli(...['jobs', 'wait', '1s', '-c', 'succeeded-job-statuses=CLOSED'], ...getJob);
  expect(taught.exitCode).toBe(0);
  expect(recordsIn(taught)).toMatchObject([{ originId: 'B', state: 'succeeded' }]);
  expect(wordsIn(await shop.push())).toEqual(['skipped', 'skipped']);
  expect(shop.countOf(bulk)).toBe(1);
});

test('of a job with an object and a failure reason, report and outcome say the same', async () => {
  const shop = await jobShop({
    status: 'SUCCESS',
    successObjectId: 'made',
    failureReason: 'no such product',
  });
  const pushed = await shop.push();
  expect(wordsIn(pushed)).toEqual(['created', 'created']);
  expect(pushed.stderr).toContain('a failureReason beside its successObjectId, which decides its outcome');
  expect(pushed.stderr).not.toContain('a failureReason, which decides its outcome');
});

test('only a job that names a reason has failed, and its record goes out again', async () => {
  const shop = await jobShop({ status: 'ENDED', failureReason: 'no such product' });
  expect(wordsIn(await shop.push())).toEqual(['failed', 'failed']);
  await shop.push();
  expect(shop.countOf(bulk)).toBe(2);
});

test('vanished jobs become unknown with their records, and all others are learned', async () => {
  const gone = new Set(['A', 'C']);
  const shop = await jobShop({ status: 'PENDING' }, (originId) =>
    gone.has(originId) ? undefined : { status: 'SUCCESS', successObjectId: `made-${originId}` },
  );
  shop.write('A', 'B', 'C', 'D');
  await shop.push();
  const waited = await shop.cli('jobs', 'wait', '1s', ...getJob);
  const known = new Map(
    recordsIn(await shop.cli('jobs', 'list')).map(({ originId, state }) => [originId, state]),
  );
  expect(Object.fromEntries(known)).toEqual({
    A: 'unknown',
    B: 'succeeded',
    C: 'unknown',
    D: 'succeeded',
  });
  expect(waited.exitCode).toBe(11);
  expect(waited.stderr).toContain('reviewctl runs resolve RUN --sent or --not-sent');
  const status = await shop.cli('status');
  expect(status.exitCode).toBe(6);
  expect(status.stdout).toContain('left records whose outcome is unknown');
  const unknown = recordsIn(await shop.cli('runs', 'rejects', '--unknown'));
  expect(unknown.map(({ originId }) => originId)).toEqual(['A', 'C']);
  expect(wordsIn(await shop.push())).toEqual(['unknown', 'skipped', 'unknown', 'skipped']);
  expect(shop.countOf(bulk)).toBe(1);
});

test('a wait that is killed has noted the ends of all jobs that are no longer open', async () => {
  const ends = new Map<string, JsonObject | undefined>([['A', undefined]]);
  const pending = { status: 'PENDING' };
  const shop = await jobShop(pending, (originId) => (ends.has(originId) ? ends.get(originId) : pending));
  await shop.push();
  await shop.cli('jobs', 'wait', '1s', ...getJob);
  ends.set('A', pending).set('B', { status: 'FAILURE', failureReason: 'sold out' });
  const wait = spawn(process.execPath, [programPath, 'jobs', 'wait', '5m', ...getJob], {
    env: shop.env,
    stdio: 'ignore',
  });
  // The lookups of A, which is listed first, do not end.
  await expect
    .poll(async () => (await shop.cli('jobs', 'list', '--failed', '-o', 'count')).stdout, { timeout: 30_000 })
    .toBe('1\n');
  wait.kill('SIGKILL');
  await once(wait, 'exit');
  const [rejected] = recordsIn(await shop.cli('runs', 'rejects'));
  expect(rejected).toMatchObject({ originId: 'B', error: 'sold out' });
});

test('a whole order is one job with its items, and is not listed beside them', async () => {
  const createOrders = ['-c', 'create-orders=POST /admin/v2/orders/bulk'];
  const shop = await standInShop({
    'POST /admin/v2/orders/bulk': ({ body }) => jobsOf(body, { status: 'PENDING' }),
  });
  const rows = Array.from({ length: 150 }, (_, n) => `O${n},I${n},P,2026-11-20T00:00:00Z`);
  shop.writeLines('orders.csv', ['orderOriginId,originId,productOriginId,orderedAt', ...rows]);
  const { exitCode, stderr } = await shop.cli('orders', 'push', 'orders.csv', ...createOrders, '-o', 'none');
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect((await shop.cli('jobs', 'list', '-o', 'count')).stdout).toBe('150\n');
});

test('a job whose end two commands see is one reject', async () => {
  const waiting: ServerResponse[] = [];
  const shop = await standInShop({
    [bulk]: ({ body }) => jobsOf(body, { status: 'PENDING' }),
    'GET /admin/v2/job/{}': (_, outgoing) => {
      const [ended] = jobsOf([{ originId: 'A' }], {
        failureReason: 'no product',
        endedAt: '2026-11-20T00:00:01Z',
      });
      // Both have read the job as pending before either notes its end.
      if (waiting.push(outgoing) === 2) for (const one of waiting) one.end(JSON.stringify(ended));
      return undefined;
    },
  });
  shop.writeLines('items.csv', ['orderOriginId,originId,productOriginId', 'O,A,P']);
  await shop.cli('orders', 'push', 'items.csv');
  await Promise.all([shop.cli('jobs', 'wait', ...getJob), shop.cli('jobs', 'wait', ...getJob)]);
  const rejects = await shop.cli('runs', 'rejects');
  expect(recordsIn(rejects)).toMatchObject([{ originId: 'A', outcome: 'failed' }]);
});
