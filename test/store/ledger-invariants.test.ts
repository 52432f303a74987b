import { describe, expect, test } from 'vitest';
import { claim } from '../../src/settle/rules/transitions.ts';
import type { Cap, EventKind, LedgerEntry } from '../../src/store/ledger/ledger.ts';
import {
  type Change,
  checkChange,
  freed,
  invalidTransition,
  reserved,
  spent,
  summaryOf,
  untouched,
} from '../../src/store/ledger/ledger-invariants.ts';
import { claimOptions, facts, paid, paying, seen, unknown } from '../settle/entries.ts';
import { uncapped } from './ledger-steps.ts';

/** A change of `before` to itself with these differences. */
function changeOf(
  before: LedgerEntry,
  kind: EventKind,
  differences: Partial<LedgerEntry>,
  reserve?: readonly Cap[],
): Change {
  return {
    kind: 'change',
    entry: { ...before, ...differences },
    event: { kind, detail: {} },
    ...(reserve === undefined ? {} : { reserve }),
  };
}

const judge =
  (before: LedgerEntry, change: Change, scopes = paying.scopes) =>
  () =>
    checkChange(change, { rewardId: before.rewardId, before, frozen: undefined, scopes });

const claimOf = (entry: LedgerEntry): Change => {
  const decision = claim(claimOptions())(facts(entry));
  if (decision.kind === 'no-change') throw new Error('kept');
  return decision;
};

const { terms } = paying;

const lawfulClaim = claimOf(seen);

/** Repeats a lost call: the entry gets these scopes, and the claim reserves in those. */
function repeatedClaim(scopes: readonly string[], reservedIn?: readonly string[]): Change {
  const { attempt, call, lastCallAtMs } = paying;
  const reserve = reservedIn && uncapped(...reservedIn);
  return changeOf(
    unknown,
    'claimed',
    { payment: 'paying', attempt: attempt + 1, call, lastCallAtMs, scopes },
    reserve,
  );
}

/** Reasons, and changes refused for them, besides the moves of `ledger-moves.test.ts`. */
const invalid: readonly (readonly [string, LedgerEntry, Change])[] = [
  [
    'are not those that join the entry',
    seen,
    { kind: 'change', entry: lawfulClaim.entry, event: { kind: 'claimed', detail: {} } },
  ],
  [
    'which the caller did not name',
    seen,
    {
      ...lawfulClaim,
      entry: { ...lawfulClaim.entry, scopes: ['other'] },
      reserve: uncapped('other'),
    },
  ],
  [
    'released scopes are still named',
    paying,
    changeOf(paying, 'refused', { payment: 'refused', call: null }),
  ],
  ['are not those that join the entry', seen, { ...lawfulClaim, reserve: [] }],
  [
    'are not those that join the entry',
    unknown,
    repeatedClaim([...unknown.scopes, 'run two'], [...unknown.scopes, 'run two']),
  ],
  ['are not those that join the entry', unknown, repeatedClaim([...unknown.scopes, 'run two'])],
  ["'claimed' reserves in run two", unknown, repeatedClaim(unknown.scopes, ['run two'])],
  ['a scope is named twice', unknown, repeatedClaim([...unknown.scopes, ...unknown.scopes], unknown.scopes)],
  [
    'a scope is named twice',
    seen,
    {
      ...lawfulClaim,
      entry: { ...lawfulClaim.entry, scopes: [...paying.scopes, ...paying.scopes] },
      reserve: uncapped(...paying.scopes, ...paying.scopes),
    },
  ],
  ['it is paid with a call', paying, changeOf(paying, 'paid', { payment: 'paid' })],
  ['it is paying without a call', seen, { ...lawfulClaim, entry: { ...lawfulClaim.entry, call: null } }],
  ['it is unknown and not in doubt', paying, changeOf(paying, 'unknown', { payment: 'unknown', call: null })],
  ['it is paying and in doubt', seen, { ...lawfulClaim, entry: { ...lawfulClaim.entry, isInDoubt: true } }],
  [
    'without a time of a call',
    seen,
    { ...lawfulClaim, entry: { ...lawfulClaim.entry, firstCallAtMs: null } },
  ],
  [
    "'paid' changes the payer",
    paying,
    changeOf(paying, 'paid', { payment: 'paid', call: null, payer: 'other' }),
  ],
  [
    'it is unknown with a receipt',
    paying,
    changeOf(paying, 'unknown', { payment: 'unknown', call: null, isInDoubt: true, ref: 'T' }),
  ],
  [
    'the document for the payer changes',
    paying,
    changeOf(paying, 'unknown', {
      payment: 'unknown',
      call: null,
      isInDoubt: true,
      terms: terms && { ...terms, document: '{}' },
    }),
  ],
  [
    "'reported' changes the observation",
    paid,
    changeOf(paid, 'reported', { report: 'sent', seen: { ...paid.seen, amount: 1n } }),
  ],
  ["'seen' changes more than the observation", seen, changeOf(seen, 'seen', { reason: 'other' })],
  ["'paid' of a reward without a call names no evidence", seen, changeOf(seen, 'paid', { payment: 'paid' })],
  [
    "'refused' of a reward without a call names no evidence",
    seen,
    changeOf(seen, 'refused', { payment: 'refused' }),
  ],
  ["'released' of a reward without a call names no evidence", seen, changeOf(seen, 'released', {})],
  ['its entry has the id R2', seen, changeOf(seen, 'seen', { rewardId: 'R2' })],
  ['cannot be stored', seen, changeOf(seen, 'seen', { seen: { ...seen.seen, memberOriginId: 'M\0' } })],
  ['without an event', seen, { kind: 'change', entry: { ...seen, reason: 'other' } }],
  ['cannot be stored', seen, changeOf(seen, 'seen', { seen: { ...seen.seen, memberOriginId: 'M\ud800' } })],
  ['cannot be stored', seen, { kind: 'change', entry: observedAs({ memberOriginId: 'M\0' }) }],
  ['without an event', seen, { kind: 'change', entry: seen, reserve: uncapped('day') }],
  [
    'it is unknown without a time of a call',
    paying,
    changeOf(paying, 'unknown', {
      payment: 'unknown',
      call: null,
      isInDoubt: true,
      lastCallAtMs: null,
    }),
  ],
];

function observedAs(differences: Partial<LedgerEntry['seen']>): LedgerEntry {
  return { ...seen, seen: { ...seen.seen, ...differences } };
}

const lawful: readonly (readonly [string, LedgerEntry | undefined, Change])[] = [
  ['a first observation', undefined, { kind: 'change', entry: seen, event: { kind: 'seen', detail: {} } }],
  [
    'a reward that was paid before',
    undefined,
    {
      kind: 'change',
      entry: { ...seen, payment: 'paid', ref: 'T' },
      event: { kind: 'paid', detail: { evidence: 'list' } },
    },
  ],
  ['a later observation', seen, changeOf(seen, 'seen', { seen: observedAs({ amount: 1n }).seen })],
  ['the same observation made later', seen, { kind: 'change', entry: observedAs({ atMs: 0 }) }],
  [
    'a payment that was in doubt',
    unknown,
    changeOf(unknown, 'paid', { payment: 'paid', isInDoubt: false, ref: 'T' }),
  ],
  [
    'a lost call that may still act',
    paying,
    changeOf(paying, 'unknown', { payment: 'unknown', isInDoubt: true }),
  ],
  [
    'a new key after proof that nothing was paid',
    unknown,
    changeOf(unknown, 'released', {
      payment: 'intended',
      isInDoubt: false,
      keyGeneration: 1,
      terms: null,
      scopes: [],
    }),
  ],
];

test.each(lawful)('%s is lawful, also while the ledger is frozen', (_, before, change) => {
  const circumstances = { rewardId: 'R1', before, frozen: 'audit', scopes: paying.scopes };
  expect(() => checkChange(change, circumstances)).not.toThrow();
});

test('a summary has of the terms what the payer is called with, and not their document', () => {
  expect(summaryOf(paying).terms).toEqual({
    key: terms?.key,
    amount: terms?.amount,
    memberOriginId: terms?.memberOriginId,
  });
});

describe('what the law refuses, by its reason', () => {
  test.each(invalid)('%s', (reason, before, change) => {
    expect(judge(before, change)).toThrow(reason);
  });

  test('a claim while the ledger is frozen', () => {
    const circumstances = { rewardId: 'R1', before: seen, frozen: 'audit', scopes: paying.scopes };
    expect(() => checkChange(lawfulClaim, circumstances)).toThrow('while the ledger is frozen');
  });

  test('an entry out of nowhere', () => {
    const change: Change = { kind: 'change', entry: paying, event: { kind: 'claimed', detail: {} } };
    const circumstances = { rewardId: 'R1', before: undefined, frozen: undefined, scopes: [] };
    expect(() => checkChange(change, circumstances)).toThrow("'claimed' leads from none to paying");
    const reserving = { ...change, reserve: uncapped(...paying.scopes) } as const;
    expect(() => checkChange(reserving, { ...circumstances, scopes: paying.scopes })).toThrow(
      "'claimed' leads from none to paying",
    );
  });
});

test('a claim as settlement makes it is lawful', () => {
  expect(judge(seen, lawfulClaim)).not.toThrow();
});

test('a lost call may be repeated with what it holds, or with more', () => {
  expect(judge(unknown, repeatedClaim(unknown.scopes))).not.toThrow();
  const more = [...unknown.scopes, 'run two'];
  expect(judge(unknown, repeatedClaim(more, ['run two']), ['run two'])).not.toThrow();
});

test('what is reserved is not let go of by repeating the call', () => {
  expect(
    invalidTransition({
      kind: 'claimed',
      before: summaryOf(unknown),
      after: summaryOf({ ...paying, attempt: 2, scopes: ['run two'] }),
    }),
  ).toBe('reserved scopes are no longer named');
});

test('budgets hold what is reserved and spent, and give back no more than they hold', () => {
  const cap = { scope: 'day', amount: 10n, count: 2 };
  const one = reserved(untouched('day'), 6n, cap);
  expect(spent(one, 6n)).toMatchObject({
    reservedAmount: 0n,
    reservedCount: 0,
    spentAmount: 6n,
    spentCount: 1,
  });
  expect(freed(one, 6n)).toEqual(untouched('day'));
  expect(reserved(spent(one, 6n), 4n, cap)).toMatchObject({ reservedAmount: 4n, spentAmount: 6n });
  expect(() => reserved(spent(one, 6n), 5n, cap)).toThrow('breaks the cap of day');
  const full = reserved(reserved(untouched('day'), 1n, cap), 1n, cap);
  expect(() => reserved(full, 1n, cap)).toThrow('breaks the cap of day');
  expect(() => freed(one, 7n)).toThrow('day has less reserved');
  expect(() => spent(untouched('day'), 0n)).toThrow('day has less reserved');
  const boundless = { ...cap, amount: null, count: null };
  expect(() => reserved({ ...one, spentAmount: 2n ** 63n - 7n }, 1n, boundless)).toThrow('breaks the cap');
  expect(reserved({ ...one, spentAmount: 2n ** 63n - 8n }, 1n, boundless).reservedAmount).toBe(7n);
  expect(() => reserved({ ...untouched('day'), spentCount: 2 }, 1n, cap)).toThrow('breaks the cap');
});
