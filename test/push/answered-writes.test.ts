import { expect, test } from 'vitest';
import type { Transport } from '../../src/contract/wire.ts';
import { productJournal } from '../../src/push/product-journal.ts';
import type { PushJournal } from '../../src/store/push-journal.ts';
import { addProduct, entriesOf, openPush, orderItems } from './open-push.ts';

/* One write at a time is under way; what is put on record of it may take longer. */

/** Tells when so many writes have reached the service. */
function watchWrites() {
  let writes = 0;
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const around =
    (transport: Transport): Transport =>
    (request, signal) => {
      if (request.method !== 'GET') writes += 1;
      for (const { count, resolve } of waiting) if (writes >= count) resolve();
      return transport(request, signal);
    };
  const reached = (count: number) =>
    new Promise<void>((resolve) => {
      waiting.push({ count, resolve });
      if (writes >= count) resolve();
    });
  return { around, reached, count: () => writes };
}

type Watch = ReturnType<typeof watchWrites>;

/** A journal that has the second end on record only once `writes` have reached the service. */
function slowAtSecondEnd(journal: PushJournal, watch: Watch, writes: number): PushJournal {
  let ends = 0;
  return {
    ...journal,
    end: async (...end) => {
      ends += 1;
      if (ends === 2) await watch.reached(writes);
      await journal.end(...end);
    },
  };
}

const products = (count: number, noun = 'Mug') =>
  entriesOf(
    Array.from({ length: count }, (_, index) => ({ originId: `P${index}`, name: `${noun} ${index}` })),
  );

test('a product is created while the one before is put on record', async () => {
  const watch = watchWrites();
  const push = await openPush({ around: watch.around });
  const journal = productJournal(slowAtSecondEnd(push.journal, watch, 3));
  const { outcomes } = await push.products(products(3), { journal, concurrency: 1 });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
});

test('an order item is changed while the one before is put on record', async () => {
  const watch = watchWrites();
  const push = await openPush({ around: watch.around });
  addProduct(push);
  await push.orders(entriesOf(orderItems(3)));
  const items = push.sandbox.visit(({ world }) => [...world.orderItems.values()]);
  const changes = entriesOf(
    items.map(({ id }) => ({ id, productOriginId: 'P1', status: 'DELIVERED' as const })),
  );
  const journal = slowAtSecondEnd(push.journal, watch, watch.count() + 3);
  const { outcomes } = await push.orderItems(changes, { journal, concurrency: 1 });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'updated']);
});

test('a category is created while the one before is put on record', async () => {
  const watch = watchWrites();
  const push = await openPush({ around: watch.around });
  const categories = entriesOf(
    Array.from({ length: 3 }, (_, index) => ({ originId: `C${index}`, name: 'Mugs', position: index })),
  );
  const journal = slowAtSecondEnd(push.journal, watch, 3);
  const { outcomes } = await push.categories(categories, { journal, concurrency: 1 });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
});

test('nothing more is written once a reply contradicts, however long it takes to put that on record', async () => {
  const watch = watchWrites();
  const contradicting: Transport = async (request, signal) => {
    const reply = await push.sandbox.transport(request, signal);
    return watch.count() === 8 ? { ...reply, body: reply.body.replace('Cup 1', 'Mug 1') } : reply;
  };
  const push = await openPush({ around: () => watch.around(contradicting) });
  await push.products(products(6));
  const { outcomes, error } = await push.products(products(6, 'Cup'), { concurrency: 1 });
  expect(error).toMatchObject({ kind: 'contradictory-reply' });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['updated', 'failed']);
  expect(watch.count()).toBe(8);
});
