import { expect, test } from 'vitest';
import { decide } from '../../src/push/decide/decide.ts';

const accepted = { fate: 'accepted', contentHash: 'h', jobId: 'J' } as const;
const unknown = { fate: 'unknown', contentHash: 'h', jobId: undefined } as const;
const same = { contentHash: 'h' };

test.each([
  ['never sent', undefined, 'h', undefined, 'send'],
  ['never sent', undefined, 'h', 'all', 'send'],
  ['accepted, same content', accepted, 'h', undefined, 'skipped'],
  ['accepted, same content', accepted, 'h', 'unknown', 'skipped'],
  ['accepted, same content', accepted, 'h', 'accepted', 'send'],
  ['accepted, same content', accepted, 'h', 'all', 'send'],
  ['accepted, other content', accepted, 'h2', undefined, 'rejected'],
  ['accepted, other content', accepted, 'h2', 'unknown', 'rejected'],
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
    expect(decide(known, { contentHash: hash }, resend).kind).toBe(kind);
  },
);

test('a skipped record names the job it was accepted with', () => {
  expect(decide(accepted, same, undefined)).toEqual({ kind: 'skipped', jobId: 'J' });
});

test('an unknown record names the flag that decides', () => {
  expect(JSON.stringify(decide(unknown, same, undefined))).toContain('--resend unknown');
});

test('one whose job failed was never made, and is sent', () => {
  expect(decide({ ...accepted, jobState: 'failed' }, same, undefined)).toEqual({ kind: 'send' });
});

const item = (orderOriginId: string, contentHash: string) => ({ orderOriginId, contentHash });

test('other content is updated where the item stays in its order', () => {
  const known = { ...accepted, ...item('O1', 'P1'), objectId: '7' };
  expect(decide(known, item('O1', 'P1'), undefined).kind).toBe('skipped');
  expect(decide(known, item('O1', 'P2'), undefined)).toEqual({
    kind: 'update',
    objectId: '7',
    replaces: 'P1',
  });
  expect(decide(known, item('O2', 'P2'), undefined).kind).toBe('rejected');
  expect(decide(known, item('O1', 'P2'), 'accepted').kind).toBe('send');
});

test('a record without an order is known, and never updated', () => {
  const known = { ...accepted, contentHash: item('O1', 'P1').contentHash, objectId: '7' };
  expect(decide(known, item('O1', 'P1'), undefined).kind).toBe('skipped');
  expect(decide(known, item('O1', 'P2'), undefined).kind).toBe('rejected');
});
