import { expect, test } from 'vitest';
import type { CategoryRecord } from '../../src/input/records/record-kinds.ts';
import { countedWords, entriesOf, heldIds, type OpenPush, openPush } from './open-push.ts';
import { dyingAfter, entryIdsOf, losingAnswers } from './service-habits.ts';

function plainCategories(count: number): CategoryRecord[] {
  return Array.from({ length: count }, (_, index) => ({ originId: `C${index + 1}`, name: '의류' }));
}

/** The originIds of single creations, in the order of sending. */
function sentSingly({ requests }: OpenPush): string[] {
  return requests
    .filter(({ operation }) => operation === 'createCategory')
    .map(({ body }) => JSON.parse(body ?? '').originId);
}

test('plain categories go in bulk, to the limit of a request', async () => {
  const push = await openPush();
  const { outcomes } = await push.categories(entriesOf(plainCategories(250)), { concurrency: 1 });
  expect(countedWords(outcomes)).toEqual({ queued: 250 });
  expect(push.requests.map((request) => entryIdsOf(request).length)).toEqual([100, 100, 50]);
});

test('no request holds more than the assumed maximum of a category request', async () => {
  const push = await openPush({ assumptions: { categoryBulkMaximum: 7 } });
  const { outcomes } = await push.categories(entriesOf(plainCategories(20)), { concurrency: 1 });
  expect(countedWords(outcomes)).toEqual({ queued: 20 });
  expect(push.requests.map((request) => entryIdsOf(request).length)).toEqual([7, 7, 6]);
});

test('what only the single creation takes is sent with it, and arrives', async () => {
  const push = await openPush();
  const { outcomes } = await push.categories(
    entriesOf([
      { originId: 'hidden', name: '숨김', isVisible: false, position: 3, isReviewDisabled: true },
      { originId: 'plain', name: '의류' },
    ]),
  );
  expect(outcomes.map(({ originId, outcome }) => [originId, outcome])).toEqual([
    ['plain', 'queued'],
    ['hidden', 'created'],
  ]);
  const held = push.sandbox.transact(({ state }) => state.categories.first('originId', 'hidden'));
  expect(held).toMatchObject({ id: outcomes[1]?.id, isVisible: false, position: 3, isReviewDisabled: true });
});

test('parents are created before their children, wherever they stand, while jobs are still pending', async () => {
  const push = await openPush({ jobDelayMs: 60_000 });
  const { outcomes } = await push.categories(
    entriesOf([
      { originId: 'socks', name: '양말', parentOriginId: 'clothes' },
      { originId: 'wool', name: '울', parentOriginId: 'socks' },
      { originId: 'books', name: '도서' },
      { originId: 'clothes', name: '의류' },
    ]),
  );
  expect(countedWords(outcomes)).toEqual({ created: 3, queued: 1 });
  expect(sentSingly(push)).toEqual(['clothes', 'socks', 'wool']);
  const parentOf = (originId: string) =>
    push.sandbox.transact(({ state }) => {
      const parentId = state.categories.first('originId', originId)?.parentId ?? '';
      return state.categories.get(parentId)?.originId;
    });
  expect(['wool', 'socks', 'clothes'].map(parentOf)).toEqual(['socks', 'clothes', undefined]);
});

test('no category is sent before its parent is answered, however many may be under way', async () => {
  const events: string[] = [];
  const push = await openPush({
    around: (transport) => async (request, signal) => {
      const { originId } = JSON.parse(request.body ?? '{}');
      events.push(`${originId} sent`);
      await new Promise(setImmediate);
      const reply = await transport(request, signal);
      events.push(`${originId} answered`);
      return reply;
    },
  });
  const { outcomes } = await push.categories(
    entriesOf([
      { originId: 'A', name: 'a', position: 1 },
      { originId: 'B', name: 'b', position: 2 },
      { originId: 'B1', name: 'b1', parentOriginId: 'B' },
      { originId: 'B2', name: 'b2', parentOriginId: 'B1' },
    ]),
  );
  expect(countedWords(outcomes)).toEqual({ created: 4 });
  expect(events).toEqual(['A', 'B', 'B1', 'B2'].flatMap((name) => [`${name} sent`, `${name} answered`]));
});

test('a parent that is not in the file is taken to be at the service, which refuses the record if it is not', async () => {
  const push = await openPush();
  await push.categories(entriesOf([{ originId: 'clothes', name: '의류' }]));
  const { outcomes } = await push.categories(
    entriesOf([
      { originId: 'socks', name: '양말', parentOriginId: 'clothes' },
      { originId: 'lost', name: '고아', parentOriginId: 'nowhere' },
    ]),
  );
  expect(outcomes).toMatchObject([
    { originId: 'socks', outcome: 'created' },
    { originId: 'lost', outcome: 'rejected', error: expect.stringContaining('nowhere') },
  ]);
});

test('a second push of the same tree sends nothing', async () => {
  const push = await openPush();
  const entries = entriesOf<CategoryRecord>([
    { originId: 'clothes', name: '의류' },
    { originId: 'socks', name: '양말', parentOriginId: 'clothes' },
    { originId: 'books', name: '도서' },
  ]);
  await push.categories(entries);
  const requestCount = push.requests.length;
  expect(countedWords((await push.categories(entries)).outcomes)).toEqual({ skipped: 3 });
  expect(push.requests).toHaveLength(requestCount);
});

test('an accepted category with another create-only input is rejected, with a blank one skipped', async () => {
  const push = await openPush();
  await push.categories(entriesOf([{ originId: 'A', name: 'a', position: 1 }]));
  const { outcomes } = await push.categories(entriesOf([{ originId: 'A', name: 'a', position: 2 }]));
  expect(outcomes).toMatchObject([{ outcome: 'rejected', error: expect.stringContaining('other content') }]);
  const blank = await push.categories(entriesOf([{ originId: 'A', name: 'a' }]));
  expect(countedWords(blank.outcomes)).toEqual({ skipped: 1 });
});

test('a lost single creation is unknown and never resent', async () => {
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: losingAnswers((_, count) => count === 1),
  });
  const entries = entriesOf<CategoryRecord>([
    { originId: 'clothes', name: '의류' },
    { originId: 'socks', name: '양말', parentOriginId: 'clothes' },
  ]);
  const first = await push.categories(entries);
  expect(first.outcomes).toMatchObject([
    { originId: 'clothes', outcome: 'unknown' },
    { originId: 'socks', outcome: 'created' },
  ]);
  const second = await push.categories(entries);
  expect(countedWords(second.outcomes)).toEqual({ skipped: 1, unknown: 1 });
  expect(heldIds(push, 'categories')).toEqual(['clothes', 'socks']);
});

test('a service that dies among single creations stops the push after three unknowns in a row', async () => {
  const push = await openPush({ around: dyingAfter(3) });
  const records = plainCategories(100).map((record) => ({ ...record, position: 1 }));
  const { outcomes, error } = await push.categories(entriesOf(records), { concurrency: 1 });
  expect(error).toMatchObject({ kind: 'unreachable' });
  expect(countedWords(outcomes)).toEqual({ created: 3, unknown: 3 });
});

test('more than 100,000 categories are refused before anything is sent', async () => {
  const push = await openPush();
  const { outcomes, error } = await push.categories(entriesOf(plainCategories(100_001)));
  expect(error).toMatchObject({ kind: 'input', exitCode: 3 });
  expect(outcomes).toEqual([]);
  expect(push.requests).toEqual([]);
});
