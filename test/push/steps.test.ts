import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Job } from '../../src/contract/resources.ts';
import { createBreaker } from '../../src/push/steps/breaker.ts';
import { createCanary } from '../../src/push/steps/canary.ts';
import {
  emptyTally,
  exitCodesOf,
  outcomeOf,
  outcomeWords,
  queuedOutcome,
} from '../../src/push/steps/outcome.ts';
import { outcomeOfFailure } from '../../src/push/steps/outcome-of-failure.ts';
import { createRefusals } from '../../src/push/steps/refusals.ts';
import { jobEnd } from '../../src/push/track/job-end.ts';

const place = { file: 'a.csv', line: 2, originId: 'I1' };

const failureOf = (kind: Failure['kind'], isOutcomeUnknown = false) =>
  new ServiceFailure(kind, `call: ${kind}`, undefined, { operation: 'call', reason: kind, isOutcomeUnknown });

describe('a failed call means for its record', () => {
  it.each([
    ['refused', false, { outcome: 'rejected', error: 'refused' }],
    ['not-found', false, { outcome: 'rejected', error: 'not-found' }],
    ['unreachable', false, { outcome: 'failed', error: 'unreachable' }],
    ['overloaded', false, { outcome: 'failed', error: 'overloaded' }],
    ['unreadable-reply', false, { outcome: 'failed', error: 'unreadable-reply' }],
    ['unreachable', true, { outcome: 'unknown', error: 'unreachable' }],
  ] as const)('where it is %s (may have had its effect: %s) %o', (kind, isOutcomeUnknown, outcome) => {
    expect(outcomeOfFailure(place, failureOf(kind, isOutcomeUnknown), createBreaker())).toEqual({
      ...place,
      ...outcome,
    });
  });

  it.each([
    failureOf('not-authenticated'),
    failureOf('config'),
    new Failure('bug', 'no'),
    new Failure('refused', 'no'),
    new Error('no'),
  ])('nothing where it is not to blame: %s', (error) =>
    expect(() => outcomeOfFailure(place, error, createBreaker())).toThrow(error),
  );
});

describe('a push ends', () => {
  const lost = failureOf('unreachable');

  test('after five troubles in a row, by the last of them', () => {
    const breaker = createBreaker();
    for (let trouble = 1; trouble < 5; trouble += 1) breaker.troubled(failureOf('overloaded'));
    expect(() => breaker.check()).not.toThrow();
    breaker.succeeded();
    for (let trouble = 1; trouble < 5; trouble += 1) breaker.troubled(failureOf('overloaded'));
    expect(() => breaker.check()).not.toThrow();
    breaker.troubled(lost);
    expect(() => breaker.check()).toThrow(lost);
    expect([breaker.isStoppedBy(lost), breaker.isStoppedBy(failureOf('overloaded'))]).toEqual([true, false]);
    // Requests then under way may still succeed.
    breaker.succeeded();
    expect(() => breaker.check()).toThrow(lost);
  });

  test('without an outcome for a record that was not sent because of that', () => {
    const breaker = createBreaker();
    for (let trouble = 1; trouble <= 5; trouble += 1) breaker.troubled(lost);
    breaker.troubled(failureOf('unreachable'));
    expect(() => outcomeOfFailure(place, lost, breaker)).toThrow(lost);
  });

  test('not by troubles that are not in a row: an answer, or a refusal, comes between them', () => {
    const breaker = createBreaker();
    for (let round = 1; round <= 3; round += 1) {
      for (let trouble = 1; trouble < 5; trouble += 1) outcomeOfFailure(place, lost, breaker);
      outcomeOfFailure(place, failureOf('refused'), breaker);
      expect(() => breaker.check()).not.toThrow();
    }
  });
});

test('a reason is general once it stopped eight records in a row, and nothing was taken since', () => {
  const refusals = createRefusals();
  const isGeneral = () => refusals.isGeneral('no');
  for (let record = 1; record < 8; record += 1) refusals.refusedAlone('no');
  expect(isGeneral()).toBe(false);
  refusals.refusedAlone('no');
  expect([isGeneral(), refusals.isGeneral('other')]).toEqual([true, false]);
  refusals.refusedAlone('other');
  expect([isGeneral(), refusals.isGeneral('other')]).toEqual([false, false]);
  for (let record = 1; record <= 8; record += 1) refusals.refusedAlone('no');
  expect(isGeneral()).toBe(true);
  refusals.accepted();
  expect(isGeneral()).toBe(false);
});

/** Tasks that end on command, and the list of begun tasks. */
function works() {
  const begun: number[] = [];
  const ends: ((value: boolean) => void)[] = [];
  const work = (number: number) => () => {
    begun.push(number);
    return new Promise<boolean>((resolve) => {
      ends[number] = resolve;
    });
  };
  const end = async (number: number, isGood = true) => {
    ends[number]?.(isGood);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    return [...begun];
  };
  return { begun, work, end };
}

describe('the first of a kind of work is carried out alone', () => {
  test('and all others begin once it succeeded', async () => {
    const canary = createCanary();
    const { begun, work, end } = works();
    const results = [0, 1, 2].map((number) => canary(work(number)));
    expect(begun).toEqual([0]);
    expect(await end(0)).toEqual([0, 1, 2]);
    results.push(canary(work(3)));
    expect(begun).toEqual([0, 1, 2, 3]);
    await Promise.all([1, 2, 3].map((number) => end(number)));
    expect(await Promise.all(results)).toEqual([true, true, true, true]);
  });

  test('and the next one is, too, where it failed or proved nothing', async () => {
    const canary = createCanary();
    const { begun, work, end } = works();
    const judge = (isGood: boolean) => (isGood ? 'proof' : 'nothing');
    const failing = canary(() => Promise.reject(new Error('lost')));
    const results = [0, 1, 2].map((number) => canary(work(number), judge));
    await expect(failing).rejects.toThrow('lost');
    expect(begun).toEqual([0]);
    expect(await end(0, false)).toEqual([0, 1]);
    expect(await end(1)).toEqual([0, 1, 2]);
    await end(2);
    expect(await Promise.all(results)).toEqual([false, true, true]);
  });

  test('and so is the next one after a lost answer, until that one is answered', async () => {
    const canary = createCanary();
    await canary(() => Promise.resolve());
    await canary(
      () => Promise.resolve(),
      () => 'doubt',
    );
    const { begun, work, end } = works();
    const results = [0, 1, 2].map((number) => canary(work(number)));
    expect(begun).toEqual([0]);
    expect(await end(0)).toEqual([0, 1, 2]);
    await Promise.all([1, 2].map((number) => end(number)));
    expect(await Promise.all(results)).toEqual([true, true, true]);
  });
});

describe('the job of a record', () => {
  const endOf = (job: Partial<Job>) => jobEnd('I1', { jobId: 'J', ...job } as Job, defaultAssumptions);
  const failed = { originId: 'I1', jobId: 'J', state: 'failed' };

  it.each<[Partial<Job>, unknown]>([
    [
      { status: 'SUCCESS', entryOriginId: 'I1', successObjectId: '7' },
      { ...failed, state: 'succeeded', objectId: '7' },
    ],
    [
      { status: 'SUCCESS', entryOriginId: 'O1', successObjectId: '7' },
      { ...failed, state: 'succeeded' },
    ],
    [
      { status: 'FAILURE', failureReason: '' },
      { ...failed, failureReason: 'the job ended as FAILURE' },
    ],
    [
      { endedAt: '2026-01-01T00:00:00Z' },
      { ...failed, state: 'unknown', failureReason: 'the job ended, without an object or a reason' },
    ],
    [
      { endedAt: '2026-01-01T00:00:00Z', status: 'DONE' },
      { ...failed, state: 'unknown', failureReason: 'the job ended as DONE, without an object or a reason' },
    ],
  ])('%o has ended %o', (job, end) => {
    expect(endOf(job)).toStrictEqual(end);
  });
});

describe('an outcome', () => {
  test('has its fields in the promised order, and none that is not given', () => {
    const changes = { name: { from: 'a', to: 'b' } };
    const all = { error: 'e', comparedWith: 'journal', changes, jobId: 'J', id: '7' } as const;
    expect(Object.keys(outcomeOf({ originId: 'I1', line: 2, file: 'a.csv' }, 'updated', all))).toEqual([
      ...['file', 'line', 'originId', 'outcome', 'id', 'jobId', 'changes', 'comparedWith', 'error'],
    ]);
    expect(outcomeOf(place, 'updated', all)).toEqual({ ...place, outcome: 'updated', ...all });
    expect(Object.keys(outcomeOf(place, 'updated'))).toEqual(['file', 'line', 'originId', 'outcome']);
    expect(queuedOutcome(place, 'J')).toEqual({ ...place, outcome: 'queued', jobId: 'J' });
  });

  it.each([
    [{}, true, []],
    [{ created: 5, skipped: 1, unchanged: 2, updated: 1 }, true, []],
    [{ queued: 1 }, false, []],
    [{ queued: 1 }, true, [8]],
    [{ rejected: 1 }, false, [6]],
    [{ failed: 1 }, false, [6]],
    [{ unknown: 1 }, false, [11]],
    [{ unknown: 1, failed: 2, rejected: 1, queued: 1 }, true, [11, 6, 8]],
  ])('of %o decides the exit code (jobs are followed: %s): %j', (counts, isWaiting, codes) => {
    expect(exitCodesOf({ ...emptyTally(), ...counts }, isWaiting)).toEqual(codes);
    expect(Object.keys(emptyTally())).toEqual(outcomeWords);
  });
});
