import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { CategoryRecord, ProductRecord } from '../../src/input/records/record-kinds.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import { readJournal } from '../../src/store/journal/open-journal.ts';
import {
  addProduct,
  entriesOf,
  type OpenPush,
  openPush,
  orderItems,
  temporaryFolder,
  wordsOf,
  writesOf,
} from './open-push.ts';
import { losingAnswers } from './service-habits.ts';

const dry = { isDryRun: true };

/** The journal as a dry run opens it: it takes no write, one would throw. */
async function readingOf({ journalPath }: OpenPush) {
  const journal = await readJournal({ kind: 'sqlite', path: journalPath });
  onTestFinished(() => journal.close());
  return journal;
}

/** What a dry run foretells and what then comes of it, without the ids that only writing makes. */
function comparable(outcomes: readonly PushOutcome[]): unknown[] {
  return outcomes.map(({ originId, outcome, changes, error }) => ({ originId, outcome, changes, error }));
}

test('a dry run of products foretells every outcome of the run, and writes nothing', async () => {
  const push = await openPush();
  await push.products(
    entriesOf([
      { originId: 'SAME', name: '니트' },
      { originId: 'OTHER', name: '치마', groupName: '봄' },
    ]),
  );
  const written = writesOf(push).length;
  const records: ProductRecord[] = [
    { originId: 'SAME', name: '니트' },
    { originId: 'OTHER', name: '바지', isReviewDisabled: true },
    { originId: 'NEW', name: '모자', groupName: '봄' },
    { originId: 'NAMELESS' },
  ];
  const foretold = await push.products(entriesOf(records), dry);
  expect(writesOf(push)).toHaveLength(written);
  expect(comparable(foretold.outcomes)).toMatchObject([
    { outcome: 'unchanged' },
    {
      outcome: 'updated',
      changes: { name: { from: '치마', to: '바지' }, isReviewDisabled: { from: false, to: true } },
    },
    { outcome: 'created' },
    { outcome: 'rejected', error: 'name is needed to create a product' },
  ]);
  const done = await push.products(entriesOf(records));
  expect(comparable(done.outcomes)).toEqual(comparable(foretold.outcomes));
});

test('a dry run of order items foretells what is sent, skipped, rejected and unknown, and journals nothing', async () => {
  const push = await openPush({ around: losingAnswers((_, count) => count === 2) });
  addProduct(push);
  await push.orders(entriesOf(orderItems(4)), { batchSize: 2, concurrency: 1 });
  const written = writesOf(push).length;
  const items = orderItems(6).map((item) =>
    item.originId === 'I2' ? { ...item, productOriginId: 'P2' } : item,
  );
  const { outcomes, error } = await push.orders(entriesOf(items), { ...dry, journal: await readingOf(push) });
  expect(error).toBeUndefined();
  expect(wordsOf(outcomes)).toEqual({
    I1: 'skipped',
    I2: 'rejected',
    I3: 'unknown',
    I4: 'unknown',
    I5: 'queued',
    I6: 'queued',
  });
  expect(writesOf(push)).toHaveLength(written);
});

test('a dry run of categories tells those in bulk queued and those one by one created', async () => {
  const push = await openPush();
  const records: CategoryRecord[] = [
    { originId: 'C1', name: '의류' },
    { originId: 'C2', name: '상의', parentOriginId: 'C1' },
    { originId: 'C3', name: '신발' },
  ];
  const { outcomes } = await push.categories(entriesOf(records), dry);
  expect(wordsOf(outcomes)).toEqual({ C1: 'created', C2: 'created', C3: 'queued' });
  expect(push.requests).toEqual([]);
});

test('a journal that is read is not made where there is none, and takes no write', async () => {
  const path = `${temporaryFolder()}/pushes.db`;
  const journal = await readJournal({ kind: 'sqlite', path });
  expect(await journal.known('order-item', ['I1'])).toEqual(new Map());
  await expect(journal.recover('order-item')).rejects.toThrow('opened for reading');
  expect(() => readFileSync(path)).toThrow('ENOENT');
});
