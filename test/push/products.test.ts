import { expect, test } from 'vitest';
import { TransportError } from '../../src/contract/wire.ts';
import type { ProductRecord } from '../../src/input/records/record-kinds.ts';
import { countedWords, entriesOf, heldIds, openPush, writesOf } from './open-push.ts';
import { dyingAfter } from './service-habits.ts';

function products(count: number, more: Partial<ProductRecord> = {}): ProductRecord[] {
  return Array.from({ length: count }, (_, index) => ({ originId: `P${index + 1}`, name: '니트', ...more }));
}

test('a second push of an unchanged file writes nothing', async () => {
  const push = await openPush();
  const entries = entriesOf(products(250, { groupName: '봄', isReviewDisabled: true }));
  await push.products(entries);
  const written = writesOf(push).length;
  const { outcomes } = await push.products(entries);
  expect(countedWords(outcomes)).toEqual({ unchanged: 250 });
  expect(writesOf(push)).toHaveLength(written);
});

test('an image the service keeps a copy of is not sent again before it changes', async () => {
  const push = await openPush({ assumptions: { imageUrlReply: 'rehosted' } });
  const words: (string | undefined)[] = [];
  for (const imageUrl of ['1', '1', '2', '2'].map((name) => `https://shop.example/${name}.jpg`)) {
    const { outcomes } = await push.products(entriesOf(products(1, { imageUrl })));
    words.push(outcomes[0]?.outcome);
  }
  expect(words).toEqual(['created', 'unchanged', 'updated', 'unchanged']);
});

test('a creation whose answer was lost is not repeated: what comes late is found, what does not is unknown', async () => {
  const held: (() => Promise<unknown>)[] = [];
  let lookups = 0;
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: (transport) => async (request, signal) => {
      if (request.operation === 'createProduct') {
        held.push(() => transport(request));
        throw new TransportError('no complete answer within 30 s', true);
      }
      lookups += 1;
      // The service creates the first product after its third lookup, and never the second.
      if (lookups === 4) await held[0]?.();
      return transport(request, signal);
    },
  });
  const entries = entriesOf(products(2));
  const { outcomes } = await push.products(entries, { concurrency: 1 });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'unknown']);
  expect(held).toHaveLength(2);
  expect(heldIds(push, 'products')).toEqual(['P1']);
});

test('what is unknown stays so in later runs and is not sent, until the service shows it', async () => {
  const held: (() => Promise<unknown>)[] = [];
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: (transport) => async (request, signal) => {
      if (request.operation !== 'createProduct') return transport(request, signal);
      held.push(() => transport(request));
      throw new TransportError('the connection was reset', true);
    },
  });
  const entries = entriesOf(products(1));
  await push.products(entries);
  const second = await push.products(entries);
  expect(second.outcomes).toMatchObject([
    { outcome: 'unknown', error: expect.stringContaining('--resend unknown') },
  ]);
  expect(held).toHaveLength(1);
  await held[0]?.();
  const third = await push.products(entriesOf(products(1, { isReviewDisabled: true })));
  expect(countedWords(third.outcomes)).toEqual({ updated: 1 });
  expect(held).toHaveLength(1);
  expect((await push.journal.known('product', ['P1'])).get('P1')?.fate).toBe('accepted');
});

test('a product that was created is never created again because a list does not show it yet', async () => {
  const push = await openPush({ assumptions: { duplicateOriginId: 'accept' }, listLagMs: 60_000_000 });
  await push.products(entriesOf(products(3)));
  const { outcomes } = await push.products(entriesOf(products(3, { isReviewDisabled: true })));
  expect(countedWords(outcomes)).toEqual({ updated: 3 });
  expect(heldIds(push, 'products')).toEqual(['P1', 'P2', 'P3']);
});

test('a service that dies stops the push; every record that was begun is told', async () => {
  const push = await openPush({ around: dyingAfter(22) });
  const { outcomes, error } = await push.products(entriesOf(products(1000)), { concurrency: 8 });
  expect(error).toMatchObject({ kind: 'unreachable', exitCode: 5 });
  const { created = 0, unknown = 0, ...others } = countedWords(outcomes);
  expect(others).toEqual({});
  expect(unknown).toBeGreaterThanOrEqual(5);
  expect(unknown).toBeLessThanOrEqual(5 + 7);
  expect(heldIds(push, 'products')).toHaveLength(created);
});

test.each(['repeat', 'comma', 'brackets'] as const)(
  'ids with every character that means something in a query are found again (%s)',
  async (arrayQuery) => {
    const push = await openPush({ assumptions: { arrayQuery, duplicateOriginId: 'accept' } });
    const ids = 'a&b a=b a,b a b 100% %41 a+b a#b a?b [] 상품/1 __proto__ 😀'.split(' ').concat('a b');
    const entries = entriesOf(ids.map((originId) => ({ originId, name: '니트' })));
    expect(countedWords((await push.products(entries)).outcomes)).toEqual({ created: ids.length });
    expect(countedWords((await push.products(entries)).outcomes)).toEqual({ unchanged: ids.length });
    expect(heldIds(push, 'products')).toEqual(ids);
  },
);
