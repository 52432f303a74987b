import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { createSettleBreaker } from '../../src/settle/flow/settle-breaker.ts';
import type { SettledReward } from '../../src/settle/flow/settle-reward.ts';

type Noted = Partial<Omit<SettledReward, 'outcome'>> & {
  readonly outcome?: string;
  readonly rewardId?: string;
};

function settled({ rewardId = 'R1', outcome = 'waiting', ...rest }: Noted): SettledReward {
  return { outcome: { rewardId, outcome, reason: 'why' }, ...rest } as SettledReward;
}

const doubt = (rewardId: string): Noted => ({ cause: 'outcome-unknown', outcome: 'unknown', rewardId });
const rejection: Noted = { cause: 'misconfigured' };
const retry: Noted = { cause: 'retry' };
const refusal: Noted = { outcome: 'refused' };
const times = (count: number, noted: Noted) => Array.from({ length: count }, () => noted);

/** The number of results after which the breaker opens; undefined if it stays closed. */
function opensAfter(all: readonly (Noted | 'paid')[], inDoubt: readonly string[] = []): number | undefined {
  const breaker = createSettleBreaker(new Set(inDoubt));
  for (const [index, noted] of all.entries()) {
    if (noted === 'paid') breaker.notePaid();
    else breaker.note(settled(noted));
    if (breaker.isOpen) return index + 1;
  }
  return undefined;
}

describe('a run', () => {
  it.each<[what: string, results: readonly (Noted | 'paid')[], count: number | undefined]>([
    ['three rewards in doubt', ['a', 'b', 'c'].map(doubt), 3],
    ['one reward in doubt, again and again', ['a', 'a', 'a', 'a'].map(doubt), undefined],
    [
      'rewards in doubt around a payment',
      [doubt('a'), doubt('b'), 'paid', doubt('c'), doubt('d')],
      undefined,
    ],
    ['rewards in doubt around a refusal', [doubt('a'), doubt('b'), refusal, doubt('c')], undefined],
    ['two rejections', times(3, rejection), 2],
    ['rejections around a payment', [rejection, 'paid', rejection], undefined],
    ['rejections around a refusal', [rejection, refusal, rejection], undefined],
    ['five calls that were not taken', times(6, retry), 5],
    [
      'calls that were not taken around a payment',
      [...times(4, retry), 'paid', ...times(4, retry)],
      undefined,
    ],
    [
      'calls that were not taken around a refusal',
      [...times(4, retry), refusal, ...times(4, retry)],
      undefined,
    ],
    ['five refusals', times(6, refusal), 5],
    ['refusals around a payment', [...times(4, refusal), 'paid', ...times(4, refusal)], undefined],
    ['refusals of earlier runs', times(6, { ...refusal, isEarlier: true }), undefined],
    ['a frozen ledger', [{ cause: 'frozen' }], 1],
    ['rewards that are held', times(6, { cause: 'held', outcome: 'held' }), undefined],
  ])('with %s ends after what proves the payer broken, and not before', (_, results, count) => {
    expect(opensAfter(results)).toBe(count);
  });

  it('that begins with rewards in doubt ends with one more, however many they are', () => {
    expect(opensAfter([doubt('c')], ['a', 'b'])).toBe(1);
    expect(opensAfter([doubt('c')], ['a', 'b', 'd'])).toBe(1);
    expect(opensAfter([doubt('c')], ['a'])).toBeUndefined();
    expect(opensAfter([], ['a', 'b', 'c', 'd'])).toBeUndefined();
    const retried: Noted = { cause: 'held', outcome: 'held' };
    expect(opensAfter([retried], ['a', 'b', 'c', 'd'])).toBeUndefined();
  });

  it('ends after five rewards in a row that could not be reported, and says what the service said', () => {
    const trouble = new ServiceFailure('unreachable', 'nothing answers', undefined, {
      operation: 'updateReward',
    });
    const unreported: Noted = { outcome: 'paid', trouble };
    expect(opensAfter(times(6, unreported))).toBe(5);
    const confirmed: Noted = { outcome: 'paid' };
    expect(opensAfter([...times(4, unreported), confirmed, ...times(4, unreported)])).toBeUndefined();
    const unpaid: Noted = { cause: 'held' };
    expect(opensAfter([...times(4, unreported), unpaid, unreported])).toBe(6);
    const breaker = createSettleBreaker(new Set());
    for (const noted of times(5, unreported)) breaker.note(settled(noted));
    expect(() => breaker.check()).toThrow(trouble);
  });

  it('has a proven payer once that has paid, and not by refusals', () => {
    const breaker = createSettleBreaker(new Set());
    breaker.note(settled(refusal));
    expect(breaker.isProven).toBe(false);
    breaker.notePaid();
    expect(breaker.isProven).toBe(true);
    expect(breaker.isOpen).toBe(false);
    expect(() => breaker.check()).not.toThrow();
  });
});

it('a run ends after one reward whose report the service did not accept', () => {
  const trouble = new ServiceFailure('not-authenticated', '401', undefined, { operation: 'updateReward' });
  expect(opensAfter([{ outcome: 'paid', trouble }])).toBe(1);
});

it('a run ends by the first failure that left a reward without a result', () => {
  const breaker = createSettleBreaker(new Set());
  breaker.noteFailure(new Error('first'));
  breaker.noteFailure(new Error('second'));
  expect(breaker.isOpen).toBe(true);
  expect(() => breaker.check()).toThrow('first');
});

it('a run does not end while a payment that began among those in doubt may succeed', () => {
  const begun = () => {
    const breaker = createSettleBreaker(new Set());
    breaker.notePaid();
    for (const _ of ['a', 'b', 'c', 'd']) breaker.noteBegun();
    for (const rewardId of ['a', 'b', 'c']) breaker.note(settled(doubt(rewardId)));
    expect({ isOpen: breaker.isOpen, isProven: breaker.isProven }).toEqual({
      isOpen: false,
      isProven: false,
    });
    return breaker;
  };
  const healthy = begun();
  healthy.notePaid();
  healthy.note(settled({ outcome: 'paid' }));
  expect({ isOpen: healthy.isOpen, isProven: healthy.isProven }).toEqual({ isOpen: false, isProven: true });
  const broken = begun();
  broken.note(settled({ outcome: 'held', cause: 'held' }));
  expect(broken.isOpen).toBe(true);
  expect(() => broken.check()).toThrow('had an unknown outcome, including those of the last hour: why');
});

const misconfigured = {
  kind: 'config',
  message: 'the payer rejected our credentials or endpoint: why; no reward was cancelled for it',
  hint:
    'correct its address, program or credential, prove it with: reviewctl payer check --member MEMBER, ' +
    'then run the same command again',
};

describe('a run that ended early', () => {
  it.each<[results: readonly Noted[], failure: object]>([
    [[rejection], misconfigured],
    [[rejection, rejection], misconfigured],
    [
      [{ cause: 'frozen' }],
      { kind: 'guard', message: 'why', hint: 'once the reason is gone: reviewctl ledger unfreeze' },
    ],
    [
      ['a', 'b', 'c'].map(doubt),
      {
        kind: 'unknown-outcome',
        message:
          'stopped: too many payments in a row had an unknown outcome, including those of the last hour: why',
        hint: 'list the payments to ask the payer about: reviewctl ledger list --payment unknown',
      },
    ],
    [
      times(5, refusal),
      {
        kind: 'guard',
        message: 'stopped after 5 refusals in a row, each of which cancels a reward for good: why',
        hint:
          'if the payer is right, run the same command again: it continues with the next rewards; ' +
          'if not, correct it first',
      },
    ],
    [
      times(5, retry),
      {
        kind: 'unreachable',
        message: 'stopped after 5 payments in a row that the payer did not accept: why',
        hint: 'once the payer is back, run the same command again: nothing is lost',
      },
    ],
  ])('by %j says why, and what to do', (results, failure) => {
    const breaker = createSettleBreaker(new Set());
    for (const noted of results) breaker.note(settled(noted));
    const thrown = (() => {
      try {
        return breaker.check();
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(Failure);
    expect(thrown).toMatchObject(failure);
  });

  it('says why it ended first', () => {
    const breaker = createSettleBreaker(new Set());
    for (const noted of [...times(5, retry), rejection, rejection]) breaker.note(settled(noted));
    expect(() => breaker.check()).toThrow('that the payer did not accept');
  });
});
