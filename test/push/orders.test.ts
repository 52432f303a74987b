import { expect, test } from 'vitest';
import type { WireRequest } from '../../src/contract/wire.ts';
import {
  addProduct,
  countedWords,
  entriesOf,
  heldIds,
  type OpenPush,
  openPush,
  orderItems,
} from './open-push.ts';
import {
  actingAt,
  answeringAfter,
  dyingAfter,
  editingJobs,
  entryIdsOf,
  losingAnswers,
  refusing,
} from './service-habits.ts';

test('items are sent in requests of 100 in input order, with the documented fields alone', async () => {
  const push = await openPush();
  addProduct(push);
  const rich = { paidPrice: '1000', status: 'DELIVERED', memberOriginId: 'M' } as const;
  const entries = entriesOf(orderItems(250).map((item) => ({ ...item, ...rich })));
  const { outcomes } = await push.orders(entries, { concurrency: 1 });
  expect(countedWords(outcomes)).toEqual({ queued: 250 });
  expect(push.requests.map((request) => entryIdsOf(request).length)).toEqual([100, 100, 50]);
  expect(push.requests.flatMap(entryIdsOf)).toEqual(entries.map(({ record }) => record.originId));
  const sent: readonly object[] = JSON.parse(push.requests[2]?.body ?? '');
  expect(Object.keys(sent.at(-1) ?? {})).toEqual(['orderOriginId', 'originId', 'productOriginId']);
});

test('each outcome names file, line and job of its record, in input order', async () => {
  const push = await openPush();
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  expect(outcomes).toEqual(
    [2, 3, 4].map((line) => ({
      file: 'input.csv',
      line,
      originId: `I${line - 1}`,
      outcome: 'queued',
      jobId: expect.any(String),
    })),
  );
});

test('a second push of the same items sends nothing and names the jobs of the first', async () => {
  const push = await openPush();
  addProduct(push);
  const entries = entriesOf(orderItems(250));
  const first = await push.orders(entries);
  const requestCount = push.requests.length;
  const second = await push.orders(entries);
  expect(push.requests).toHaveLength(requestCount);
  expect(countedWords(second.outcomes)).toEqual({ skipped: 250 });
  expect(second.outcomes.map(({ jobId }) => jobId)).toEqual(first.outcomes.map(({ jobId }) => jobId));
});

test('an accepted item with other content is rejected with the reason and not sent', async () => {
  const push = await openPush();
  addProduct(push);
  await push.orders(entriesOf(orderItems(2)));
  const [first, second] = orderItems(2);
  const changed = [first, { ...second, productOriginId: 'P2' }] as ReturnType<typeof orderItems>;
  const { outcomes } = await push.orders(entriesOf(changed));
  expect(outcomes).toMatchObject([
    { outcome: 'skipped' },
    { outcome: 'rejected', error: expect.stringContaining('other content') },
  ]);
  expect(push.requests).toHaveLength(1);
});

test('a refusal that names entries takes them out and sends the rest', async () => {
  const push = await openPush({ around: refusing((id) => id === 'I7' || id === 'I42', true) });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(100)));
  expect(push.requests).toHaveLength(2);
  expect(countedWords(outcomes)).toEqual({ queued: 98, rejected: 2 });
  expect(outcomes.filter(({ outcome }) => outcome === 'rejected')).toMatchObject([
    { originId: 'I7', line: 8, error: 'originId is not allowed' },
    { originId: 'I42', line: 43, error: 'originId is not allowed' },
  ]);
});

test('one poisoned entry among 400 that is not named refuses one record and costs at most 24 bulk requests', async () => {
  for (const poisoned of ['I1', 'I150', 'I237', 'I400']) {
    const push = await openPush({ around: refusing((id) => id === poisoned, false) });
    addProduct(push);
    const { outcomes } = await push.orders(entriesOf(orderItems(400)));
    expect(push.requests.length).toBeLessThanOrEqual(24);
    expect(countedWords(outcomes)).toEqual({ queued: 399, rejected: 1 });
    expect(outcomes.find(({ outcome }) => outcome === 'rejected')).toMatchObject({
      originId: poisoned,
      error: 'one of the entries is not allowed',
    });
    expect(heldIds(push, 'orderItems')).toHaveLength(399);
  }
});

test('a reason that refuses every record is not searched for in every request', async () => {
  const push = await openPush({ around: refusing(() => true, false) });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(1000)), { concurrency: 1 });
  // Eight records alone, and two whose halves were cut before that showed it is not about them; then each request once.
  expect(countedWords(outcomes)).toEqual({ rejected: 10, failed: 990 });
  expect(push.requests).toHaveLength(27 + 9);
  expect(outcomes.at(-1)?.error).toContain('one of the entries is not allowed');
});

test('what is taken in between shows that a refusal is about single records', async () => {
  const isOdd = (originId: string) => Number(originId.slice(1)) % 2 === 1;
  const push = await openPush({ around: refusing(isOdd, false) });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(200)), { concurrency: 1 });
  expect(countedWords(outcomes)).toEqual({ queued: 100, rejected: 100 });
});

test('a refused item may be sent again once it is corrected', async () => {
  let isPoisoned = true;
  const push = await openPush({ around: refusing((id) => isPoisoned && id === 'I1', true) });
  addProduct(push);
  const entries = entriesOf(orderItems(2));
  await push.orders(entries);
  isPoisoned = false;
  expect(countedWords((await push.orders(entries)).outcomes)).toEqual({ queued: 1, skipped: 1 });
});

test('a service that takes fewer entries than we send is met by halves', async () => {
  const push = await openPush({
    around: (transport) => (request, signal) =>
      entryIdsOf(request).length > 40
        ? Promise.resolve({
            status: 422,
            headers: {},
            body: '{"detail":[{"loc":["body"],"msg":"too many"}]}',
          })
        : transport(request, signal),
  });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(100)));
  expect(countedWords(outcomes)).toEqual({ queued: 100 });
});

test('jobs out of order are matched by the originId they name', async () => {
  const push = await openPush({ around: editingJobs((jobs) => jobs.toReversed()) });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(10)));
  const owners = push.sandbox.transact(({ state }) =>
    outcomes.map(({ jobId }) => {
      const bulk = state.bulks.values().findLast(({ id }) => Number(id) <= Number(jobId));
      return bulk?.jobs[Number(jobId) - Number(bulk.id)]?.entryOriginId;
    }),
  );
  expect(owners).toEqual(outcomes.map(({ originId }) => originId));
});

test('jobs that name no originId are taken in the order of the request', async () => {
  const push = await openPush({
    around: editingJobs((jobs) => jobs.map(({ jobId, status }) => ({ jobId, status }))),
  });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  expect(countedWords(outcomes)).toEqual({ queued: 3 });
});

test('a job that has already ended in the answer decides at once, and a failed one goes out again', async () => {
  let isFirst = true;
  const push = await openPush({
    around: editingJobs((jobs) => {
      if (!isFirst) return jobs;
      isFirst = false;
      return jobs.map((job) =>
        job.entryOriginId === 'I2'
          ? { ...job, status: 'FAILED', failureReason: 'no such product', endedAt: '2026-11-20T00:00:00Z' }
          : {
              ...job,
              status: 'DONE',
              successObjectId: `made-${job.entryOriginId}`,
              endedAt: '2026-11-20T00:00:00Z',
            },
      );
    }),
  });
  addProduct(push);
  const first = await push.orders(entriesOf(orderItems(3)));
  expect(
    first.outcomes.map(({ originId, outcome, id, error }) => ({ originId, outcome, id, error })),
  ).toEqual([
    { originId: 'I1', outcome: 'created', id: 'made-I1', error: undefined },
    { originId: 'I2', outcome: 'failed', id: undefined, error: 'no such product' },
    { originId: 'I3', outcome: 'created', id: 'made-I3', error: undefined },
  ]);
  const second = await push.orders(entriesOf(orderItems(3)));
  expect(Object.fromEntries(second.outcomes.map(({ originId, outcome }) => [originId, outcome]))).toEqual({
    I1: 'skipped',
    I2: 'queued',
    I3: 'skipped',
  });
});

test('a record the answer names no job for is unknown, the others are queued', async () => {
  const push = await openPush({
    around: editingJobs((jobs) => jobs.filter(({ entryOriginId }) => entryOriginId !== 'I2')),
  });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  expect(outcomes.map(({ originId, outcome }) => [originId, outcome])).toEqual([
    ['I1', 'queued'],
    ['I3', 'queued'],
    ['I2', 'unknown'],
  ]);
  expect((await push.journal.known('order-item', ['I2'])).get('I2')?.fate).toBe('unknown');
});

test('a wrong number of jobs without names makes every record unknown', async () => {
  const push = await openPush({
    around: editingJobs((jobs) => jobs.slice(1).map(({ jobId }) => ({ jobId }))),
  });
  addProduct(push);
  expect(countedWords((await push.orders(entriesOf(orderItems(3)))).outcomes)).toEqual({ unknown: 3 });
});

/** The creations among the requests; lost records are also looked for. */
function bulkRequests({ requests }: OpenPush): readonly WireRequest[] {
  return requests.filter(({ operation }) => operation === 'bulkCreateOrderItems');
}

test('a lost reply is never resent, in this run or the next, until a person says so', async () => {
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: losingAnswers((_, count) => count === 2),
  });
  addProduct(push);
  const entries = entriesOf(orderItems(300));
  const first = await push.orders(entries, { concurrency: 1 });
  expect(countedWords(first.outcomes)).toEqual({ queued: 200, unknown: 100 });
  expect(bulkRequests(push)).toHaveLength(3);
  const second = await push.orders(entries);
  expect(countedWords(second.outcomes)).toEqual({ skipped: 200, unknown: 100 });
  expect(bulkRequests(push)).toHaveLength(3);
  const third = await push.orders(entries, { resend: 'unknown' });
  expect(countedWords(third.outcomes)).toEqual({ skipped: 200, queued: 100 });
  expect(bulkRequests(push)).toHaveLength(4);
});

test('a request turned away with 429 is sent again, because it had no effect', async () => {
  const push = await openPush({ faults: { throttle: 0.5 }, retries: 20 });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(500)));
  expect(countedWords(outcomes)).toEqual({ queued: 500 });
  expect(heldIds(push, 'orderItems')).toHaveLength(500);
});

test('a service that dies stops the push after few unknowns, all of them told', async () => {
  const push = await openPush({ around: dyingAfter(10) });
  addProduct(push);
  const { outcomes, error } = await push.orders(entriesOf(orderItems(100_000)), { concurrency: 8 });
  expect(error).toMatchObject({ kind: 'unreachable', exitCode: 5 });
  // Five in a row end it; the seven others that may be under way with the fifth are lost too.
  const unknownMaximum = (5 + 7) * 100;
  const { queued, unknown, ...others } = countedWords(outcomes);
  expect({ queued, others }).toEqual({ queued: 1000, others: {} });
  expect(unknown).toBeGreaterThanOrEqual(500);
  expect(unknown).toBeLessThanOrEqual(unknownMaximum);
  expect(push.requests).toHaveLength(10 + (unknown ?? 0) / 100);
});

test('single losses far apart do not stop a push', async () => {
  const push = await openPush({ around: losingAnswers((_, count) => count % 5 === 0) });
  addProduct(push);
  const { outcomes, error } = await push.orders(entriesOf(orderItems(4000)));
  expect(error).toBeUndefined();
  expect(countedWords(outcomes)).toEqual({ queued: 3200, unknown: 800 });
});

test('a refusal is an answer: losses before and after it are not in a row', async () => {
  const push = await openPush({
    around: (transport) =>
      losingAnswers((_, count) => count !== 3)(refusing((originId) => originId === 'I201', true)(transport)),
  });
  addProduct(push);
  const { outcomes, error } = await push.orders(entriesOf(orderItems(1000)), { concurrency: 1 });
  expect(error).toMatchObject({ kind: 'unreachable' });
  // Two requests of 100, the refused one, what is left of it, and two more.
  expect(push.requests).toHaveLength(6);
  expect(countedWords(outcomes)).toEqual({ unknown: 200 + 99 + 200, rejected: 1 });
});

test('an error nobody foresaw proves nothing: the next run counts what was under way as unknown', async () => {
  const push = await openPush({
    around: (transport) => async (request, signal) => {
      const reply = await transport(request, signal);
      if (request.operation === 'bulkCreateOrderItems') throw new TypeError('a bug');
      return reply;
    },
  });
  addProduct(push);
  const entries = entriesOf(orderItems(3));
  const { error } = await push.orders(entries);
  expect(error).toBeInstanceOf(TypeError);
  expect(await push.journal.recover('order-item')).toBe(3);
  expect(countedWords((await push.orders(entries)).outcomes)).toEqual({ unknown: 3 });
});

test('a credential that ends in the middle stops the push, and what was under way is told', async () => {
  const push = await openPush({ around: answeringAfter(6, 401) });
  addProduct(push);
  const entries = entriesOf(orderItems(2000));
  const { outcomes, error } = await push.orders(entries);
  expect(error).toMatchObject({ kind: 'not-authenticated', exitCode: 4 });
  expect(countedWords(outcomes)).toEqual({ queued: 600 });
  expect(await push.journal.recover('order-item')).toBe(0);
  const known = await push.journal.known(
    'order-item',
    entries.map(({ record }) => record.originId),
  );
  expect(known.size).toBe(600);
});

test('an input that breaks in the middle stops the push, and what was under way is told', async () => {
  const push = await openPush();
  addProduct(push);
  async function* batches() {
    yield entriesOf(orderItems(500));
    throw new Error('the file changed');
  }
  const { outcomes, error } = await push.orders(batches());
  expect(error).toEqual(new Error('the file changed'));
  expect(countedWords(outcomes)).toEqual({ queued: 500 });
});

test('told to stop, it takes nothing new and tells what was under way', async () => {
  const stop = new AbortController();
  const push = await openPush({ around: actingAt(5, () => stop.abort()) });
  addProduct(push);
  const entries = entriesOf(orderItems(5000));
  const { outcomes, error } = await push.orders(entries, { concurrency: 2, stopping: stop.signal });
  expect(error).toBeUndefined();
  // The first one alone, then two at a time.
  expect(push.requests).toHaveLength(5);
  expect(countedWords(outcomes)).toEqual({ queued: 500 });
  expect(await push.journal.recover('order-item')).toBe(0);
  expect(countedWords((await push.orders(entries)).outcomes)).toEqual({ skipped: 500, queued: 4500 });
});
