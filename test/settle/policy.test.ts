import { describe, expect, it } from 'vitest';
import { capsOn, freshMs, koreanDay, type Policy, verdictOn } from '../../src/settle/rules/policy.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import {
  covered,
  hourMs,
  idempotentPayer,
  nowMs,
  observation,
  paid,
  paying,
  plainPayer,
  refused,
  seen,
  unknown,
} from './entries.ts';
import { openPolicy } from './open-policy.ts';

function verdict(
  entry: LedgerEntry,
  {
    policy = openPolicy,
    capabilities = plainPayer,
    atMs = nowMs,
  }: {
    readonly policy?: Policy;
    readonly capabilities?: typeof plainPayer | typeof idempotentPayer;
    readonly atMs?: number;
  } = {},
): string {
  const found = verdictOn(entry, { policy, capabilities, nowMs: atMs });
  return found.kind === 'held' ? `held: ${found.reason}` : found.kind;
}

describe('the verdict', () => {
  it('pays what waits, and nothing that is decided or under way', () => {
    expect([seen, paying, paid, refused].map((entry) => verdict(entry))).toEqual([
      'pay',
      'under-way',
      'decided',
      'decided',
    ]);
  });

  it('pays by an observation of a minute, and by none that is older or from the future', () => {
    expect(verdict(seen, { atMs: nowMs + freshMs })).toBe('pay');
    expect(verdict(seen, { atMs: nowMs + freshMs + 1 })).toBe('stale');
    expect(verdict(seen, { atMs: nowMs - freshMs })).toBe('pay');
    expect(verdict(seen, { atMs: nowMs - freshMs - 1 })).toBe('stale');
  });

  it.each(['SENDING', 'SUCCESS', 'FAILURE', 'CANCELLED', 'INVALID', 'UNAPPROVED', 'queued', ''])(
    'pays nothing the service has as %j',
    (status) => {
      expect(verdict({ ...seen, seen: observation({ status }) })).toBe('not-queued');
      expect(verdict({ ...covered, seen: observation({ status }) }, { capabilities: idempotentPayer })).toBe(
        'not-queued',
      );
    },
  );

  it('holds a guest order, and an amount that is missing, zero or below', () => {
    for (const memberOriginId of [null, '', ' \t'])
      expect(verdict({ ...seen, seen: observation({ memberOriginId }) })).toBe('held: no-member');
    for (const amount of [null, 0n, -1n]) {
      expect(verdict({ ...seen, seen: observation({ amount }) })).toBe('held: no-amount');
    }
  });

  it('holds a reward above the cap of one, and pays one that meets it', () => {
    expect(verdict(seen, { policy: { ...openPolicy, maxPerReward: 4_999_999n } })).toBe('held: above-cap');
    expect(verdict(seen, { policy: { ...openPolicy, maxPerReward: 5_000_000n } })).toBe('pay');
  });

  it('holds a lost call whose amount or member the service changed since', () => {
    for (const changes of [{ amount: 1n }, { memberOriginId: 'M2' }]) {
      const changed = { ...covered, seen: observation(changes) };
      expect(verdict(changed, { capabilities: idempotentPayer })).toBe('held: changed');
    }
  });
});

describe('a lost call', () => {
  const later = (atMs: number): LedgerEntry => ({ ...covered, seen: observation({ atMs }) });

  it('is repeated only to a payer that honours its key, and the same one', () => {
    expect(verdict(unknown)).toBe('in-doubt');
    expect(verdict(unknown, { capabilities: idempotentPayer })).toBe('in-doubt');
    expect(verdict(covered, { capabilities: { ...idempotentPayer, idempotentForMs: null } })).toBe(
      'in-doubt',
    );
    expect(verdict(covered, { capabilities: idempotentPayer })).toBe('pay');
  });

  it('is repeated while its key lives, counted from the first call', () => {
    const endMs = nowMs + 24 * hourMs;
    expect(verdict(later(endMs - 1), { capabilities: idempotentPayer, atMs: endMs - 1 })).toBe('pay');
    expect(verdict(later(endMs), { capabilities: idempotentPayer, atMs: endMs })).toBe('in-doubt');
  });

  it('is not repeated by a clock that was set back', () => {
    expect(verdict(later(nowMs - 1), { capabilities: idempotentPayer, atMs: nowMs - 1 })).toBe('in-doubt');
  });

  it('takes precedence over everything that the service says of it', () => {
    expect(verdict({ ...unknown, seen: observation({ status: 'FAILURE' }) })).toBe('in-doubt');
  });
});

describe('the caps of a payment', () => {
  it('count for the run, the Korean day and the member on that day', () => {
    const policy: Policy = {
      maxPerReward: null,
      maxPerRun: { amount: 1n, count: 2 },
      maxPerDay: 3n,
      maxPerMemberPerDay: 4n,
    };
    expect(capsOn(policy, { run: 'r1', memberOriginId: 'M1', nowMs })).toEqual([
      { scope: 'run r1', amount: 1n, count: 2 },
      { scope: 'day 2026-01-01', amount: 3n, count: null },
      { scope: 'member 2026-01-01 M1', amount: 4n, count: null },
    ]);
  });

  it('begin anew at midnight in Korea', () => {
    expect(koreanDay(Date.UTC(2026, 0, 1, 14, 59, 59, 999))).toBe('2026-01-01');
    expect(koreanDay(Date.UTC(2026, 0, 1, 15))).toBe('2026-01-02');
  });
});
