import { expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import type { PushJournal } from '../../src/store/journal/push-journal.ts';
import { addProduct, entriesOf, openPush, orderItems } from './open-push.ts';

/* Records that the service accepted are reported even if the journal cannot be written; then the push ends. */

const full = new Failure('unreadable-path', 'the journal fails: database or disk is full');
const notOnRecord = expect.stringContaining('the journal could not be written');

/** A journal whose disk is full when the end of a request is recorded. */
function fullAtEnd(journal: PushJournal): PushJournal {
  return { ...journal, end: () => Promise.reject(full) };
}

test('order items that were taken are unknown, with their jobs, and what was not begun is not told', async () => {
  const push = await openPush();
  addProduct(push);
  const journal = fullAtEnd(push.journal);
  const pushed = await push.orders(entriesOf(orderItems(20)), { journal, batchSize: 2, concurrency: 2 });
  expect(pushed.error).toBe(full);
  // The first request, sent alone, and the two that began after its reply.
  const begun = [1, 2, 3, 4, 5, 6];
  expect(pushed.outcomes.map(({ originId, outcome }) => `${originId} ${outcome}`)).toEqual(
    begun.map((number) => `I${number} unknown`),
  );
  expect(pushed.outcomes[0]).toMatchObject({ jobId: expect.any(String), error: notOnRecord });
  expect(await push.journal.recover('order-item')).toBe(begun.length);
});

test('a request that was refused is unknown too, as the next run counts it', async () => {
  const push = await openPush();
  const journal = fullAtEnd(push.journal);
  const refused = await push.orders(
    entriesOf([{ orderOriginId: '', originId: 'I1', productOriginId: 'P1' }]),
    {
      journal,
    },
  );
  expect(refused).toMatchObject({ error: full, outcomes: [{ outcome: 'unknown', error: notOnRecord }] });
  expect(await push.journal.recover('order-item')).toBe(1);
});

test('a category that was made is unknown, with its id', async () => {
  const push = await openPush();
  const journal = fullAtEnd(push.journal);
  const pushed = await push.categories(entriesOf([{ originId: 'C1', name: 'Mugs', position: 1 }]), {
    journal,
  });
  expect(pushed).toMatchObject({
    error: full,
    outcomes: [{ originId: 'C1', outcome: 'unknown', id: expect.any(String), error: notOnRecord }],
  });
});

test('a product that was made is told as made, though it cannot be remembered, and the next run looks for it', async () => {
  const push = await openPush();
  const journal = fullAtEnd(push.journal);
  const products = entriesOf([{ originId: 'P1', name: 'Mug', imageUrl: 'https://shop.example/1.png' }]);
  const pushed = await push.products(products, { journal });
  expect(pushed).toMatchObject({ error: full, outcomes: [{ originId: 'P1', outcome: 'created' }] });
  expect(await push.journal.recover('product')).toBe(1);
  expect(await push.products(products)).toMatchObject({ outcomes: [{ outcome: 'unchanged' }] });
});
