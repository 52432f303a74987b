import { expect, test } from 'vitest';
import type { PayerCapabilities } from '../../src/payer/payer.ts';
import { paymentKey } from '../../src/settle/rules/payment-key.ts';
import { haveTermsChanged, scopeInWords, unaddressable, verdictOn } from '../../src/settle/rules/policy.ts';
import {
  answered,
  type ClaimOptions,
  claim,
  importReward,
  observe,
  observeAgain,
  recordLookup,
  recordReport,
  recover,
  resolve,
  reverse,
} from '../../src/settle/rules/transitions.ts';
import type { Budget, Facts, LedgerEntry, Step } from '../../src/store/ledger/ledger.ts';
import {
  claimOptions,
  covered,
  entryAfter,
  facts,
  grouped,
  hourMs,
  idempotentPayer,
  identity,
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

/*
 * Every decision of every step on every kind of entry, as text for review, so that a changed decision or message is
 * noticed. Other tests give the reasons; this one is complete. Written by
 * `npx vitest run test/settle/decisions.test.ts -u`.
 */

const waiting = { kind: 'retry', message: 'come back later' } as const;
const lost = { kind: 'ambiguous', message: 'time-out' } as const;
const twoDocuments = '[{"id":"R1","amount":500},{"id":"R1","amount":900,"order":{"memberOriginId":"M2"}}]';

const entries: Readonly<Record<string, LedgerEntry | undefined>> = {
  'never seen': undefined,
  intended: seen,
  'of a guest': entryAfter(observe('R1', observation({ memberOriginId: null }))),
  'without an amount': entryAfter(observe('R1', observation({ amount: null }))),
  'listed twice': entryAfter(
    observe('R1', observation({ amount: null, memberOriginId: null, document: twoDocuments })),
  ),
  'with an id that leads elsewhere': entryAfter(observe('..', observation())),
  'no longer queued': entryAfter(observe('R1', observation({ status: 'CANCELLED' }))),
  'of an unknown status': entryAfter(observe('R1', observation({ status: '' }))),
  'seen later than now': { ...seen, seen: observation({ atMs: nowMs + 1 }) },
  released: entryAfter(observe('R1', observation()), claim(claimOptions()), answered(1, waiting, plainPayer)),
  'released and changed': entryAfter(
    observe('R1', observation()),
    claim(claimOptions()),
    answered(1, waiting, plainPayer),
    observe('R1', observation({ amount: 9_000_000n })),
  ),
  'released and shown with another document': entryAfter(
    observe('R1', observation()),
    claim(claimOptions()),
    answered(1, waiting, plainPayer),
    observe('R1', observation({ status: 'SENDING', document: '{}' })),
    observe('R1', observation({ document: '{}' })),
  ),
  'released with its key': entryAfter(
    observe('R1', observation()),
    claim(claimOptions({ capabilities: idempotentPayer })),
    answered(1, lost, idempotentPayer),
    resolve(1, { kind: 'not-paid', reason: 'asked' }, idempotentPayer),
  ),
  paying,
  'paying without a lease': { ...paying, call: paying.call && { ...paying.call, leaseUntilMs: null } },
  'paying without a call': { ...paying, call: null },
  'paying again': entryAfter(
    observe('R1', observation()),
    claim(claimOptions({ capabilities: idempotentPayer })),
    answered(1, lost, idempotentPayer),
    claim(claimOptions({ capabilities: idempotentPayer })),
  ),
  unknown,
  'unknown to a payer with keys': covered,
  'unknown without a reason or a time': {
    ...unknown,
    reason: null,
    payer: null,
    firstCallAtMs: null,
    lastCallAtMs: null,
  },
  'unknown without a reason': { ...covered, reason: null },
  'unknown without the time of its last call': {
    ...unknown,
    payer: idempotentPayer.name,
    lastCallAtMs: null,
  },
  'unknown, and called before the clock was set back': { ...unknown, firstCallAtMs: nowMs + 60_000 },
  'unknown, and changed since': { ...unknown, seen: observation({ memberOriginId: 'M2' }) },
  'unknown, of another machine': { ...unknown, call: { owner: 'run 7', leaseUntilMs: nowMs + 1 } },
  paid,
  'paid and sent': { ...paid, report: 'sent' },
  'paid and confirmed': { ...paid, report: 'confirmed' },
  'paid in conflict': { ...paid, report: 'conflict', reason: 'the service says CANCELLED' },
  refused,
  'refused and sent': { ...refused, report: 'sent' },
};

const busy = (scope: string): Budget => ({
  scope,
  reservedAmount: 2_000_000n,
  reservedCount: 1,
  spentAmount: 1_000_000n,
  spentCount: 2,
});

type Try = readonly [step: Step<unknown>, changes?: Partial<Facts>];

const claiming = (changes: Partial<ClaimOptions>, facts: Partial<Facts> = {}): Try => [
  claim(claimOptions(changes)),
  { budget: busy, ...facts },
];
const capOf = (amount: bigint | null, count: number | null, scope = 'day 2026-01-01') => ({
  caps: [{ scope, amount, count }],
});
const planned = {
  rewardId: 'R1',
  amount: 5_000_000n,
  memberOriginId: 'M1',
  order: {},
  key: paymentKey(identity, 'R1', 0),
  attempt: 0,
};
const withKeys = { capabilities: idempotentPayer };
const repeating = {
  ...withKeys,
  caps: ['day 2026-01-01', 'run run', 'plan P'].map((scope) => ({ scope, amount: null, count: null })),
};
const lookup = (capabilities: PayerCapabilities = plainPayer, askedAtMs = nowMs) => ({
  capabilities,
  askedAtMs,
});
const ownerIs = (isOwnerAlive: boolean | undefined) => ({ isOwnerAlive, capabilities: plainPayer });

const steps: Readonly<Record<string, Try>> = {
  'observed again as it was': [observe('R1', observation())],
  'observed with another amount': [observe('R1', observation({ amount: 9_000_000n }))],
  'observed with another status': [observe('R1', observation({ status: 'SUCCESS' }))],
  'observed without an amount': [observe('R1', observation({ amount: null }))],
  'observed earlier': [observe('R1', observation({ atMs: nowMs - 1 }))],
  'shown on the next page, too': [observeAgain('R1', observation())],
  'shown on the next page otherwise': [observeAgain('R1', observation({ amount: 9_000_000n }))],
  claimed: claiming({}),
  'claimed with keys': claiming(withKeys),
  'claimed with keys by a run with budgets': claiming(repeating),
  'claimed with keys by a run of a plan': claiming({
    ...repeating,
    plan: { id: 'P', payment: { ...planned, attempt: 1 } },
  }),
  'claimed long after the first call': claiming(
    { ...withKeys, leaseMs: 30 * hourMs },
    { nowMs: nowMs + 30_000 },
  ),
  'claimed for a batch': claiming({ leaseMs: null }),
  'claimed with keys by a clock behind the last event': claiming(withKeys, {
    lastEventAtMs: () => nowMs + 1,
  }),
  'claimed while the ledger is frozen': claiming({}, { frozen: 'a restored copy' }),
  'claimed up to a cap': claiming(capOf(8_000_000n, 4)),
  'claimed over a cap of an amount': claiming(capOf(7_999_999n, null)),
  'claimed over a cap of a number': claiming(capOf(null, 3)),
  'claimed over a cap of both': claiming(capOf(7_999_999n, 3, 'member 2026-01-01 M1')),
  'claimed with keys over the cap of a run': claiming({ ...withKeys, ...capOf(1n, null, 'run run') }),
  'claimed over the cap of one reward': claiming({ policy: { ...openPolicy, maxPerReward: 4_999_999n } }),
  'claimed up to the cap of one reward': claiming({ policy: { ...openPolicy, maxPerReward: 5_000_000n } }),
  'claimed as planned': claiming({ plan: { id: 'P', payment: planned } }),
  'claimed by a plan without it': claiming({ plan: { id: 'P', payment: undefined } }),
  'claimed by a plan of another amount': claiming({
    plan: { id: 'P', payment: { ...planned, amount: 1n } },
  }),
  'answered: paid': [answered(1, { kind: 'paid', ref: 'T1', message: 'done' }, plainPayer)],
  'answered: paid, without a receipt': [answered(1, { kind: 'paid' }, plainPayer)],
  'answered: refused': [answered(1, { kind: 'refused', message: 'no such member' }, plainPayer)],
  'answered: refused, without a word': [answered(1, { kind: 'refused' }, plainPayer)],
  'answered: refused, by a payer that repeats its answers': [
    answered(1, { kind: 'refused' }, { ...plainPayer, replaysResponse: true }),
  ],
  'answered again: refused': [answered(2, { kind: 'refused' }, idempotentPayer, nowMs + hourMs - 1)],
  'answered again: refused, once the books had to show a payment': [
    answered(2, { kind: 'refused' }, idempotentPayer, nowMs + hourMs),
  ],
  'answered again: come back later': [answered(2, waiting, idempotentPayer, nowMs + hourMs)],
  'answered: come back later': [answered(1, waiting, { ...plainPayer, replaysResponse: true })],
  'answered: nothing': [answered(1, lost, plainPayer)],
  'answered again: nothing': [answered(2, lost, idempotentPayer), { nowMs: nowMs + 1_000 }],
  'answered: nothing, later': [answered(1, lost, plainPayer), { nowMs: nowMs + hourMs }],
  'recovered from an owner that lives': [recover(1, { kind: 'none' }, ownerIs(true))],
  'recovered from an owner that has ended': [recover(1, { kind: 'none' }, ownerIs(false))],
  'recovered from an owner of unknown state': [recover(1, { kind: 'none' }, ownerIs(undefined))],
  'recovered from one of unknown state, later': [
    recover(1, { kind: 'none' }, ownerIs(undefined)),
    { nowMs: nowMs + hourMs },
  ],
  'recovered, and paid': [recover(1, { kind: 'paid', ref: 'T1' }, ownerIs(false))],
  'recovered while its payer runs': [recover(1, { kind: 'running', message: 'it runs' }, ownerIs(false))],
  'recovered, and refused': [recover(1, { kind: 'refused' }, ownerIs(false))],
  'recovered of a shared ledger': [recover(1, { kind: 'none' }, { ...ownerIs(false), isShared: true })],
  'recovered of a shared ledger, and ended': [
    recover(1, { kind: 'ended' }, { ...ownerIs(false), isShared: true }),
  ],
  'recovered about another call': [recover(7, { kind: 'none' }, ownerIs(false))],
  'looked up: paid': [recordLookup(1, { kind: 'paid', ref: 'T1' }, lookup())],
  'looked up: no answer': [recordLookup(1, { kind: 'undecided', message: 'no answer' }, lookup())],
  'looked up too early': [recordLookup(1, { kind: 'not-found' }, lookup(plainPayer, nowMs + hourMs - 1))],
  'looked up in time': [recordLookup(1, { kind: 'not-found' }, lookup(plainPayer, nowMs + hourMs))],
  'looked up in time at a payer with keys': [
    recordLookup(1, { kind: 'not-found' }, lookup(idempotentPayer, nowMs + hourMs)),
  ],
  'looked up about another call': [recordLookup(7, { kind: 'paid', ref: 'T1' }, lookup())],
  'a person: it is paid': [resolve(1, { kind: 'paid', ref: 'T1' }, plainPayer)],
  'a person: it is refused': [resolve(1, { kind: 'refused', reason: 'asked' }, plainPayer)],
  'a person: it is not paid': [resolve(1, { kind: 'not-paid', reason: 'asked' }, plainPayer)],
  'a person: it is not paid by a payer with keys': [
    resolve(1, { kind: 'not-paid', reason: 'asked' }, idempotentPayer),
  ],
  'a person: it is not paid by a payer that has forgotten the key': [
    resolve(1, { kind: 'not-paid', reason: 'asked' }, idempotentPayer),
    { nowMs: nowMs + 24 * hourMs },
  ],
  'a person about no call': [resolve(0, { kind: 'not-paid', reason: 'asked' }, plainPayer)],
  'a person: the difference is accepted': [resolve(1, { kind: 'accepted', reason: 'known' }, plainPayer)],
  'a person: it was taken back': [reverse(paid, { kind: 'reversed', ref: 'B1', reason: 'asked' })],
  imported: [importReward('R1', observation(), 'T0')],
  'imported without a receipt': [importReward('R1', observation(), null)],
  'reported: sent': [recordReport({ kind: 'sent', status: 'SENDING' })],
  'reported: confirmed': [recordReport({ kind: 'confirmed', status: 'SUCCESS' })],
  'reported: conflict': [recordReport({ kind: 'conflict', message: 'the service says CANCELLED' })],
};

/**
 * The decision of a step in one line: the reason for no change, or the event, the reservation and each changed field.
 */
function decisionText([step, changes]: Try, entry: LedgerEntry | undefined): string {
  try {
    const decision = step(facts(entry, changes));
    if (decision.kind === 'no-change') return `kept ${json(decision.reason)}`;
    const { event, reserve } = decision;
    const before: Readonly<Record<string, unknown>> = { ...entry };
    const changed = Object.entries(decision.entry).filter(
      ([name, value]) => json(before[name]) !== json(value),
    );
    return `${decision.kind} ${json(event)} ${json(reserve)} ${json(Object.fromEntries(changed))}`;
  } catch (error) {
    return `throws ${String(error)}`;
  }
}

/** Times are relative to that of the tests, for readability. */
function json(value: unknown): string {
  const text = JSON.stringify(value, (name, inner: unknown) => {
    if (inner === undefined) return 'undefined';
    if (typeof inner === 'bigint') return `${inner}n`;
    return name.endsWith('Ms') && typeof inner === 'number' ? `now+${inner - nowMs}` : inner;
  });
  return text ?? 'none';
}

test('every decision about every kind of entry is as it was reviewed', async () => {
  const text = Object.entries(steps).map(([name, attempt]) => {
    const texts = Object.entries(entries).map(
      ([entryName, entry]) => [entryName, decisionText(attempt, entry)] as const,
    );
    return `${name}\n${grouped(texts)}`;
  });
  await expect(text.join('\n')).toMatchFileSnapshot('../../fixtures/settlement/decisions.txt');
});

test('every verdict on every kind of entry is as it was reviewed', async () => {
  const payers = { 'a payer without keys': plainPayer, 'a payer with keys': idempotentPayer };
  const instants = [-60_001, 0, 60_000, 60_001, 24 * hourMs];
  const policies = {
    'no cap': openPolicy,
    'a cap of one reward': { ...openPolicy, maxPerReward: 4_999_999n },
  };
  const text = Object.entries(payers).flatMap(([payer, capabilities]) =>
    Object.entries(policies).flatMap(([cap, policy]) =>
      instants.map((sinceMs) => {
        const texts = Object.entries(entries).flatMap(([name, entry]) =>
          entry === undefined
            ? []
            : [[name, json(verdictOn(entry, { policy, capabilities, nowMs: nowMs + sinceMs }))] as const],
        );
        return `${payer}, ${cap}, now+${sinceMs}\n${grouped(texts)}`;
      }),
    ),
  );
  await expect(text.join('\n')).toMatchFileSnapshot('../../fixtures/settlement/verdicts.txt');
});

test('terms that were never set have not changed', () => {
  expect(haveTermsChanged(seen)).toBe(false);
});

test('budgets and ids are called what an operator calls them', () => {
  expect(
    ['run r1', 'plan p1', 'day 2026-01-01', 'member 2026-01-01 M 1', 'run', ''].map(scopeInWords),
  ).toEqual(['this run', 'this plan', '2026-01-01', 'member M 1 on 2026-01-01', 'this run', 'member  on ']);
  expect(unaddressable('a/b')).toBe(
    'its id "a/b" cannot be part of an address, so its outcome could not be reported',
  );
});
