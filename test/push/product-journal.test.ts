import { hash } from 'node:crypto';
import { expect, it, test } from 'vitest';
import { isImageTaken, productJournal } from '../../src/push/steps/product-journal.ts';
import type { KnownRecord } from '../../src/store/journal/push-journal.ts';
import { knownRecords } from './listing-service.ts';

const imageUrl = 'https://shop.example/1.png';
/** As journals hold it for good. */
const imageHash = hash('sha256', imageUrl, 'base64url').slice(0, 22);

/** A journal of products over one that notes what it is told, and knows product P1. */
function openJournal() {
  const calls: unknown[] = [];
  const journal = productJournal({
    known: async (kind, originIds) => {
      calls.push(['known', kind, originIds]);
      return knownRecords({ P1: { objectId: '7' } });
    },
    begin: async (kind, entries) => {
      calls.push(['begin', kind, entries]);
      return 5;
    },
    end: async (...args) => {
      calls.push(['end', ...args]);
    },
  });
  return { journal, calls };
}

const entry = { originId: 'P1', contentHash: imageHash };

test('what is known of products is asked for once', async () => {
  const { journal, calls } = openJournal();
  const known = await journal.known(['P1', 'P2']);
  expect([known('P1')?.objectId, known('P2')]).toEqual(['7', undefined]);
  expect(calls).toEqual([['known', 'product', ['P1', 'P2']]]);
});

it.each([
  ['created', { accepted: [{ entry, objectId: '7' }] }],
  ['outcomeUnknown', { unknown: [entry] }],
  ['refused', {}],
] as const)('a creation is on record before it leaves, and how it ended: %s', async (name, end) => {
  const { journal, calls } = openJournal();
  const creation = await journal.begin({ originId: 'P1', imageUrl });
  expect(calls).toEqual([['begin', 'product', [entry]]]);
  await creation[name]('7');
  expect(calls.slice(1)).toEqual([['end', 'product', 5, end]]);
});

test('an image that was taken is on record, as is that there was none', async () => {
  const { journal, calls } = openJournal();
  await journal.taken({ originId: 'P1', imageUrl }, '7');
  await journal.taken({ originId: 'P1' }, '7');
  const ends = [entry, { ...entry, contentHash: '' }].map((taken) => [
    ['begin', 'product', []],
    ['end', 'product', 5, { accepted: [{ entry: taken, objectId: '7' }] }],
  ]);
  expect(calls).toEqual(ends.flat());
});

it.each<[Partial<KnownRecord> | undefined, string | undefined, boolean]>([
  [{ contentHash: imageHash }, imageUrl, true],
  [{ contentHash: imageHash }, `${imageUrl}?2`, false],
  [{ contentHash: imageHash, fate: 'unknown' }, imageUrl, false],
  [{ contentHash: '' }, undefined, false],
  [undefined, imageUrl, false],
])('of a product that is known as %o, the image %s is taken: %s', (record, image, isTaken) => {
  const known = record && knownRecords({ P1: record }).get('P1');
  expect(isImageTaken(known, image)).toBe(isTaken);
});
