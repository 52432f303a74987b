import { expect, test } from 'vitest';
import { contentHash } from '../../src/push/content-hash.ts';
import { decide } from '../../src/push/decide.ts';

const accepted = { fate: 'accepted', contentHash: 'h', jobId: 'J' } as const;
const unknown = { fate: 'unknown', contentHash: 'h', jobId: undefined } as const;

test.each([
  ['never sent', undefined, 'h', undefined, 'send'],
  ['never sent', undefined, 'h', 'all', 'send'],
  ['accepted, same content', accepted, 'h', undefined, 'skip'],
  ['accepted, same content', accepted, 'h', 'unknown', 'skip'],
  ['accepted, same content', accepted, 'h', 'accepted', 'send'],
  ['accepted, same content', accepted, 'h', 'all', 'send'],
  ['accepted, other content', accepted, 'h2', undefined, 'reject'],
  ['accepted, other content', accepted, 'h2', 'unknown', 'reject'],
  ['accepted, other content', accepted, 'h2', 'accepted', 'send'],
  ['accepted, other content', accepted, 'h2', 'all', 'send'],
  ['unknown, same content', unknown, 'h', undefined, 'unknown'],
  ['unknown, same content', unknown, 'h', 'accepted', 'unknown'],
  ['unknown, same content', unknown, 'h', 'unknown', 'send'],
  ['unknown, same content', unknown, 'h', 'all', 'send'],
  ['unknown, other content', unknown, 'h2', undefined, 'unknown'],
  ['unknown, other content', unknown, 'h2', 'unknown', 'send'],
] as const)(
  'a record that was %s is decided by the table (%o, %s, --resend %s: %s)',
  (_, known, hash, resend, kind) => {
    expect(decide(known, hash, resend).kind).toBe(kind);
  },
);

test('a skipped record names the job it was accepted with', () => {
  expect(decide(accepted, 'h', undefined)).toEqual({ kind: 'skip', jobId: 'J' });
});

test('an unknown record names the flag that decides', () => {
  expect(decide(unknown, 'h', undefined)).toMatchObject({
    reason: expect.stringContaining('--resend unknown'),
  });
});

test('one whose job failed was never made, and is sent', () => {
  expect(decide({ ...accepted, jobState: 'failed' }, 'h', undefined)).toEqual({ kind: 'send' });
});

test('other content is updated where only that has changed which an update can change', () => {
  const hash = (order: string, product: string) => contentHash({ order, product }, { order });
  const known = { ...accepted, contentHash: hash('O1', 'P1'), objectId: '7' };
  expect(decide(known, hash('O1', 'P1'), undefined).kind).toBe('skip');
  expect(decide(known, hash('O1', 'P2'), undefined)).toEqual({ kind: 'update', objectId: '7' });
  expect(decide(known, hash('O2', 'P1'), undefined).kind).toBe('reject');
  expect(decide(known, hash('O1', 'P2'), 'accepted').kind).toBe('send');
});

test('a record accepted by a version that hashed all of it as one is still known', () => {
  const before = contentHash({ order: 'O1' });
  const known = { ...accepted, contentHash: before, objectId: '7' };
  expect(decide(known, contentHash({ order: 'O1' }, { order: 'O1' }), undefined).kind).toBe('skip');
  expect(decide(known, contentHash({ order: 'O2' }, { order: 'O1' }), undefined).kind).toBe('reject');
});
