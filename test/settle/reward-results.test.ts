import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callRecords, makeKeyFolder, writeProcess } from '../../src/payer/call-records.ts';
import { entryRecord, eventRecord, runningPayer } from '../../src/settle/flow/entry-record.ts';
import { unclaimed, undecidedOutcome } from '../../src/settle/flow/pay-reward.ts';
import { paymentOf } from '../../src/settle/flow/settlement.ts';
import type { ClaimRejection } from '../../src/settle/rules/transitions.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import { testFolder } from '../payer/programs.ts';
import { nowMs, observation, paid, paying, seen, unknown } from './entries.ts';

const key = paid.terms?.key;
const handedOver: LedgerEntry = { ...paying, call: { owner: 'batch', leaseUntilMs: null } };

it('a payment has the terms of its key, as the payer was shown them first', () => {
  expect(paymentOf({ ...paying, seen: observation({ amount: 1n, document: '{}' }) })).toEqual({
    rewardId: 'R1',
    key,
    amount: 5_000_000n,
    memberOriginId: 'M1',
    reward: { id: 'R1', amount: 500 },
    attempt: 1,
  });
  expect(() => paymentOf(seen)).toThrow('reward R1 has no terms');
});

const why = 'why';
const gone = 'the service no longer shows it';
const otherProcess = 'another process is paying it';

it.each<[what: string, entry: LedgerEntry, reason: object, result: readonly [string, string, string]]>([
  ['is held', seen, { kind: 'held', reason: 'no-member' }, ['held', 'held', why]],
  ['is held in doubt', unknown, { kind: 'held', reason: 'changed' }, ['held', 'unknown', why]],
  ['is shown twice', seen, { kind: 'held', reason: 'contradictory' }, ['contradictory', 'held', why]],
  ['has no room', seen, { kind: 'capped', scope: 'contradictory' }, ['capped', 'held', why]],
  ['has no room in doubt', unknown, { kind: 'capped', scope: '' }, ['capped', 'unknown', why]],
  ['is in doubt', unknown, { kind: 'in-doubt' }, ['in-doubt', 'unknown', why]],
  ['is under way', paying, { kind: 'under-way' }, ['under-way', 'waiting', otherProcess]],
  ['is in doubt and under way', unknown, { kind: 'under-way' }, ['under-way', 'waiting', otherProcess]],
  [
    'is handed over',
    handedOver,
    { kind: 'under-way' },
    ['held', 'waiting', 'handed over in batch; its outcome must be imported'],
  ],
  ['is stale', seen, { kind: 'stale' }, ['not-queued', 'waiting', gone]],
  ['is stale in doubt', unknown, { kind: 'stale' }, ['not-queued', 'unknown', gone]],
  ['does not wait', seen, { kind: 'not-queued' }, ['not-queued', 'waiting', why]],
  ['does not wait in doubt', unknown, { kind: 'not-queued' }, ['not-queued', 'unknown', why]],
  ['differs from the plan', seen, { kind: 'drifted' }, ['drifted', 'held', why]],
  ['differs from the plan in doubt', unknown, { kind: 'drifted' }, ['drifted', 'unknown', why]],
  ['is not planned', seen, { kind: 'not-planned' }, ['not-planned', 'waiting', why]],
  ['is frozen', seen, { kind: 'frozen' }, ['frozen', 'waiting', why]],
  ['is frozen in doubt', unknown, { kind: 'frozen' }, ['frozen', 'unknown', why]],
])('a reward that %s is left unpaid for that', (_, entry, reason, [cause, outcome, words]) => {
  const rejection = { message: why, ...reason } as ClaimRejection;
  expect(unclaimed(entry, rejection)).toMatchObject({ kind: 'unpaid', entry, cause, reason: words });
  expect(undecidedOutcome(entry, cause)).toBe(outcome);
});

const time = '2026-01-01T14:59:00.000Z';

it.each<[what: string, entry: LedgerEntry, record: object]>([
  [
    'waits',
    seen,
    {
      payment: 'intended',
      amount: 500,
      memberOriginId: 'M1',
      key: null,
      attempt: 0,
      payer: null,
      firstCallAt: null,
      lastCallAt: null,
      owner: null,
      isOwnerAlive: null,
      ref: null,
    },
  ],
  [
    'is being paid',
    { ...paying, seen: observation({ amount: 1n, memberOriginId: 'M2' }) },
    {
      payment: 'paying',
      amount: 500,
      memberOriginId: 'M1',
      key,
      attempt: 1,
      payer: 'exec pay',
      firstCallAt: time,
      lastCallAt: time,
      owner: 'run',
      isOwnerAlive: true,
    },
  ],
  ['is handed over', handedOver, { owner: 'batch', isOwnerAlive: null }],
  ['is paid', paid, { payment: 'paid', ref: 'T1', owner: null, isOwnerAlive: null }],
])('the record of a reward that %s has its times, and whether its owner lives', async (_, entry, record) => {
  const context = { isOwnerAlive: async () => true, callRecordsFolder: testFolder() };
  expect(await entryRecord(entry, context)).toMatchObject({
    rewardId: 'R1',
    report: 'pending',
    keyGeneration: 0,
    isInDoubt: false,
    payerPid: null,
    payerSeconds: null,
    seenStatus: 'QUEUED',
    seenAt: time,
    reason: null,
    ...record,
  });
});

it('an owner of whom nothing is known is neither alive nor gone', async () => {
  const context = { isOwnerAlive: async () => undefined, callRecordsFolder: testFolder() };
  expect(await entryRecord(paying, context)).toMatchObject({ isOwnerAlive: null });
});

it('the record of a payment whose program is still running names that, and since when it runs', async () => {
  const folder = testFolder();
  const rewardKey = key ?? '';
  makeKeyFolder(folder, rewardKey);
  const files = callRecords(folder, rewardKey, 1);
  const recordOf = async (entry: LedgerEntry) => {
    const context = { isOwnerAlive: async () => false, callRecordsFolder: folder };
    const { payerPid, payerSeconds } = await entryRecord(entry, context);
    return [payerPid, payerSeconds];
  };
  // Longer than the test process lives, which acts as the payer program here.
  writeProcess(files, process.pid, 24 * 3_600_000);
  const own = [process.pid, expect.any(Number)];
  expect([await recordOf(paying), await recordOf(unknown)]).toEqual([own, own]);
  const idle = [null, null];
  expect([await recordOf(seen), await recordOf(paid)]).toEqual([idle, idle]);
  expect(runningPayer(paid, folder)).toBeUndefined();
  const record = JSON.parse(readFileSync(files.pid, 'utf8'));
  const otherwise = (changes: object) => {
    writeFileSync(files.pid, JSON.stringify({ ...record, pid: 2 ** 30, ...changes }));
    return recordOf(paying);
  };
  // A program in another container may be running, but its id belongs to another process here.
  expect(await otherwise({ namespace: 'pid:[1]' })).toEqual([null, expect.any(Number)]);
  expect(await otherwise({})).toEqual(idle);
});

it.each([
  [
    { amount: '500', key: 'k' },
    { amount: 500, key: 'k' },
  ],
  [{ amount: 500 }, { amount: 500 }],
  [{ amount: 'much' }, { amount: 'much' }],
  [{}, {}],
])('the detail %j of an event is shown as %j', (detail, shown) => {
  const event = {
    seq: 3,
    kind: 'claimed',
    by: 'run',
    payment: 'paying',
    report: 'pending',
    attempt: 1,
  } as const;
  expect(eventRecord({ ...event, atMs: nowMs, rewardId: 'R1', detail })).toEqual({
    ...event,
    at: time,
    detail: shown,
  });
});
