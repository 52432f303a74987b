import { expect, it } from 'vitest';
import { formatMoney } from '../../src/base/money.ts';
import type { PayerCapabilities } from '../../src/payer/payer.ts';
import {
  answered,
  claim,
  mayCall,
  observe,
  recordLookup,
  recordReport,
  recover,
  resolve,
  reverse,
} from '../../src/settle/rules/transitions.ts';
import type { Cap, Facts, LedgerEntry, Step } from '../../src/store/ledger/ledger.ts';
import { untouched } from '../../src/store/ledger/ledger-invariants.ts';
import {
  claimOptions,
  covered,
  entryAfter,
  facts,
  hourMs,
  idempotentPayer,
  nowMs,
  observation,
  paid,
  paying,
  plainPayer,
  refused,
  seen,
  story,
  unknown,
} from './entries.ts';

/*
 * Rules of settlement in words, mostly about times and repeated calls. decisions.test.ts has every decision of every
 * step on every kind of entry.
 */

const claimed = claim(claimOptions());
const repeated = claim(claimOptions({ capabilities: idempotentPayer }));
const after = (entry: LedgerEntry, step: Step<unknown>) =>
  entryAfter(() => ({ kind: 'change', entry }), step);
/** Called again with the same key. */
const calledTwice = after(covered, repeated);
/** The call of a batch, which people pay. */
const inBatch = after(seen, claim(claimOptions({ leaseMs: null, owner: 'batch' })));
/** Another machine may have made its call, or may still make it. */
const leased = { ...unknown, call: { owner: 'run 7', leaseUntilMs: nowMs + 1 } };

const said = (kind: 'paid' | 'refused' | 'retry' | 'misconfigured' | 'ambiguous') =>
  ({ kind, message: 'words' }) as const;
const first = (kind: Parameters<typeof said>[0]) => answered(1, said(kind), plainPayer);
const again = (kind: Parameters<typeof said>[0], beganAtMs?: number, changes = {}) =>
  answered(2, said(kind), { ...idempotentPayer, ...changes }, beganAtMs);
/** No record exists of this owner's first call. */
const foundNone = (isOwnerAlive: boolean | undefined) =>
  recover(1, { kind: 'none' }, { isOwnerAlive, capabilities: plainPayer });
const notInBooks = (askedAtMs: number, attempt = 1) =>
  recordLookup(attempt, { kind: 'not-found' }, { capabilities: plainPayer, askedAtMs });
const notPaid = (capabilities: PayerCapabilities = plainPayer) =>
  resolve(1, { kind: 'not-paid', reason: 'asked' }, capabilities);
const at = (ms: number) => ({ nowMs: nowMs + ms });

const lost = 'paying -> unknown (unknown)';

it.each<
  [
    promise: string,
    step: Step<{ readonly kind: string }>,
    entry: LedgerEntry,
    becomes: string,
    changes?: Partial<Facts>,
  ]
>([
  ['a lost call is repeated without another reservation', repeated, covered, 'unknown -> paying (claimed)'],
  [
    'a lost call is not repeated by a clock behind that call',
    repeated,
    { ...covered, lastCallAtMs: nowMs + 1 },
    'kept: in-doubt',
    { lastEventAtMs: () => nowMs },
  ],

  ['a refusal frees nothing that an earlier call may have paid', again('refused'), calledTwice, lost],
  ['nor a misconfigured one', again('misconfigured', nowMs + hourMs), calledTwice, lost],
  ['nor a refusal before the books had to show it', again('refused', nowMs + hourMs - 1), calledTwice, lost],
  [
    'a refusal is final once the books had to show a payment',
    again('refused', nowMs + hourMs),
    calledTwice,
    'paying -> refused (refused)',
  ],
  [
    'a refusal is final of a payer that repeats its answers',
    again('refused', undefined, { replaysResponse: true }),
    calledTwice,
    'paying -> refused (refused)',
  ],
  [
    'such a payer that asks to come back proves nothing',
    again('retry', undefined, { replaysResponse: true }),
    calledTwice,
    lost,
  ],

  ['recovery leaves a living owner alone', foundNone(true), paying, 'kept: under-way', at(hourMs)],
  ['an owner of unknown state has its lease', foundNone(undefined), paying, 'kept: under-way', at(60_000)],
  ['after its lease it has none', foundNone(undefined), paying, lost, at(60_001)],

  [
    'the books prove nothing before the quiet time, even where that is noted later',
    notInBooks(nowMs + hourMs - 1),
    unknown,
    'kept: undecided',
    at(2 * hourMs),
  ],
  ['the books say nothing of another call', notInBooks(nowMs + hourMs, 0), unknown, 'kept: undecided'],

  ['a person waits for a lease on another machine', notPaid(), leased, 'kept: under-way'],
  ['but not after that lease', notPaid(), leased, 'unknown -> intended (released)', at(1)],
])('%s', (_, step, entry, becomes, changes) => {
  expect(story(step, entry, changes)).toBe(becomes);
});

it('a claim sets key, amount, payee, attempt, owner and lease in one change', () => {
  expect(claimed(facts(seen))).toMatchObject({
    entry: {
      attempt: 1,
      terms: { amount: 5_000_000n, memberOriginId: 'M1', document: seen.seen.document },
      call: { owner: 'run', leaseUntilMs: nowMs + 60_000 },
      firstCallAtMs: nowMs,
      scopes: ['day 2026-01-01'],
    },
  });
  expect(calledTwice).toMatchObject({ attempt: 2, terms: unknown.terms, scopes: unknown.scopes });
  const almostOver = at(24 * hourMs - 1_000);
  const fresh = { ...covered, seen: observation({ atMs: almostOver.nowMs }) };
  // The lease of a repeated call ends with its key.
  expect(repeated(facts(fresh, almostOver))).toMatchObject({
    entry: { call: { leaseUntilMs: nowMs + 24 * hourMs } },
  });
  const cheaper = observe('R1', observation({ amount: 1n }))(facts(unknown));
  expect(cheaper).toMatchObject({ entry: { seen: { amount: 1n }, terms: unknown.terms } });
});

it('a lost call that another run repeats is charged to that run, once, and to no other day', () => {
  const capOf = (scope: string, changes: Partial<Cap> = {}) => ({
    scope,
    amount: null,
    count: null,
    ...changes,
  });
  const counted = { ...covered, scopes: ['run one', 'day 1', 'member 1 M1'] };
  const charged = { ...counted, scopes: [...counted.scopes, 'run two'] };
  const byTwo = (changes: Partial<Cap> = {}) => {
    const caps = [capOf('run two', changes), capOf('day 2', { amount: 0n }), capOf('member 2 M1')];
    return claim(claimOptions({ capabilities: idempotentPayer, run: 'two', caps }));
  };
  const isFull = { budget: (scope: string) => ({ ...untouched(scope), reservedCount: 1 }) };
  expect(byTwo()(facts(counted))).toMatchObject({
    entry: { scopes: charged.scopes },
    reserve: [capOf('run two')],
  });
  expect(story(byTwo({ count: 1 }), charged, isFull)).toBe('unknown -> paying (claimed)');
  expect(story(byTwo({ count: 1 }), counted, isFull)).toBe('kept: capped');
  expect(story(byTwo({ amount: 4_999_999n }), counted)).toBe('kept: capped');
  expect(story(byTwo({ amount: 5_000_000n }), counted)).toBe('unknown -> paying (claimed, reserve)');
});

it.each([
  [{ amount: 5_000_000n, count: null }, {}, true],
  [{ amount: 4_999_999n, count: null }, {}, false],
  [{ amount: 5_000_001n, count: null }, { reservedAmount: 2n }, false],
  [{ amount: 5_000_001n, count: null }, { spentAmount: 2n }, false],
  [{ amount: null, count: 1 }, {}, true],
  [{ amount: null, count: 1 }, { reservedCount: 1 }, false],
  [{ amount: null, count: 1 }, { spentCount: 1 }, false],
])('the cap %o of which %o is used has room: %s', (cap, used, hasRoom) => {
  const step = claim(claimOptions({ caps: [{ scope: 'day', ...cap }] }));
  const budget = (scope: string) => ({ ...untouched(scope), ...used });
  expect(step(facts(seen, { budget })).kind).toBe(hasRoom ? 'change' : 'no-change');
});

it('a claimed call leaves while its claim is held and its lease outlasts the call', () => {
  const look = { attempt: 1, owner: 'run', nowMs, timeoutMs: 59_999 };
  const looks = [{}, { timeoutMs: 60_000 }, at(1), { owner: 'other' }, { attempt: 2 }];
  expect(looks.map((changes) => mayCall(paying, { ...look, ...changes }))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  for (const entry of [undefined, seen, unknown, paid, refused, inBatch])
    expect(mayCall(entry, look)).toBe(false);
});

it('a refusal that proves nothing says when it will, unless the key is forgotten by then', () => {
  const reason = (lookupDelayMs: number, kind: 'refused' | 'retry' = 'refused') =>
    after(calledTwice, again(kind, undefined, { lookupDelayMs })).reason;
  const inDoubt = 'words, but an earlier call may have paid';
  expect(reason(hourMs)).toBe(`${inDoubt}; a refusal after 2026-01-01T15:59:00Z is final`);
  expect(reason(1)).toBe(`${inDoubt}; a refusal after 2026-01-01T14:59:01Z is final`);
  expect([reason(24 * hourMs), reason(hourMs, 'retry')]).toEqual([inDoubt, inDoubt]);
});

it('the quiet time counts from when the last call that may have paid can have left', () => {
  const lastCallAfter = (entry: LedgerEntry, step: Step<unknown>, ms: number) => {
    const decision = step(facts(entry, at(ms)));
    return decision.kind === 'change' && (decision.entry.lastCallAtMs ?? 0) - nowMs;
  };
  // Until now, or until the end of its lease; setting the clock back makes no call older.
  expect([-1_000, 0, 1_000, 60_000, hourMs].map((ms) => lastCallAfter(paying, foundNone(false), ms))).toEqual(
    [0, 0, 1_000, 60_000, 60_000],
  );
  const decision = repeated(facts(covered, at(1_000)));
  const later = decision.kind === 'change' ? decision.entry : covered;
  expect(
    [again('refused'), again('misconfigured'), again('ambiguous')].map((step) =>
      lastCallAfter(later, step, 1_000),
    ),
  ).toEqual([0, 0, 1_000]);
});

it('a new key is made only where the payer honours none any more, or the reward has changed', () => {
  const kept = { keyGeneration: 0, terms: unknown.terms, firstCallAtMs: nowMs };
  const renewed = { keyGeneration: 1, terms: null, firstCallAtMs: null };
  const changed = { ...covered, seen: observation({ amount: 1n }) };
  expect(notPaid()(facts(unknown))).toMatchObject({ entry: renewed });
  expect(notPaid(idempotentPayer)(facts(covered))).toMatchObject({ entry: kept });
  expect(notPaid(idempotentPayer)(facts(changed))).toMatchObject({ entry: renewed });
  expect(notPaid(idempotentPayer)(facts(covered, at(24 * hourMs)))).toMatchObject({ entry: renewed });
  // A repeated key is known from its first call, even after a call that paid nothing.
  const waiting = {
    ...after(covered, notPaid(idempotentPayer)),
    seen: observation({ atMs: nowMs + hourMs }),
  };
  const decision = repeated(facts(waiting, at(hourMs)));
  const called = decision.kind === 'change' ? decision.entry : seen;
  expect(again('retry')(facts(called))).toMatchObject({
    entry: { payment: 'intended', firstCallAtMs: nowMs },
  });
  expect(first('retry')(facts(paying))).toMatchObject({
    entry: { payment: 'intended', firstCallAtMs: null },
  });
});

it('a report goes from pending over sent to confirmed or conflict, and changes no money', () => {
  const results = [
    { kind: 'sent', status: 'SUCCESS' },
    { kind: 'confirmed', status: 'SUCCESS' },
    { kind: 'conflict', message: 'the service says FAILURE' },
  ] as const;
  const path = (['pending', 'sent', 'confirmed', 'conflict'] as const).map((report) =>
    results.map((result) => {
      const decision = recordReport(result)(facts({ ...paid, report }));
      return decision.kind === 'change' ? decision.entry.report : '-';
    }),
  );
  expect(path).toEqual([
    ['sent', 'confirmed', 'conflict'],
    ['-', 'confirmed', 'conflict'],
    ['-', '-', '-'],
    ['-', 'confirmed', '-'],
  ]);
  const agreed = recordReport(results[1])(facts({ ...paid, report: 'conflict', reason: 'FAILURE' }));
  expect(agreed).toMatchObject({ entry: { report: 'confirmed', reason: null } });
  for (const result of results) {
    for (const entry of [seen, paying, unknown])
      expect(story(recordReport(result), entry)).toBe('kept: undecided');
    expect(recordReport(result)(facts(paid))).toMatchObject({
      entry: { payment: 'paid', terms: paid.terms },
    });
  }
});

it('a service whose caller has died may pay until the lease ends, and only then a person may find that it did not', () => {
  const calling = { ...paying, payer: 'http pay' };
  const lost = after(
    calling,
    recover(1, { kind: 'none' }, { isOwnerAlive: false, capabilities: plainPayer }),
  );
  expect(lost).toMatchObject({ payment: 'unknown', call: calling.call });
  const finding = (kind: 'not-paid' | 'refused', ms: number) =>
    story(resolve(1, { kind, reason: 'asked' }, plainPayer), lost, at(ms));
  expect([finding('not-paid', 59_999), finding('refused', 59_999)]).toEqual([
    'kept: under-way',
    'kept: under-way',
  ]);
  expect(finding('not-paid', 60_000)).toBe('unknown -> intended (released)');
  // A called program has left a record.
  expect(
    after(paying, recover(1, { kind: 'none' }, { isOwnerAlive: false, capabilities: plainPayer })).call,
  ).toBeNull();
});

it('a repeated call whose answer is lost does not end the lease of the one before it', () => {
  const brief = claim(claimOptions({ capabilities: idempotentPayer, leaseMs: 1 }));
  const orphaned = { ...covered, call: { owner: 'run 7', leaseUntilMs: nowMs + 60_000 } };
  const lost = after(
    after(orphaned, brief),
    answered(2, said('ambiguous'), idempotentPayer, undefined, true),
  );
  const finding = (ms: number) =>
    story(resolve(2, { kind: 'not-paid', reason: 'asked' }, plainPayer), lost, at(ms));
  expect([finding(59_999), finding(60_000)]).toEqual(['kept: under-way', 'unknown -> intended (released)']);
  const { call } = orphaned;
  const asked = after(orphaned, brief);
  const gone = { isOwnerAlive: false, isShared: true, capabilities: idempotentPayer };
  expect(after(asked, recover(2, { kind: 'ended' }, gone)).call?.leaseUntilMs).toBe(call.leaseUntilMs);
  // A program that runs on this machine is visible.
  expect(after({ ...asked, payer: paying.payer }, again('ambiguous')).call).toBeNull();
});

it('what is taken back is the amount that was paid, whatever the service shows since', () => {
  const changed = { ...paid, seen: observation({ amount: 1n }) };
  const decision = reverse(paid, { kind: 'reversed', ref: 'T2' })(facts(changed));
  expect(decision).toMatchObject({ event: { detail: { amount: formatMoney(paid.terms?.amount ?? 0n) } } });
});

it('a lookup by the right clock counts from no earlier than what was recorded before the clock was set back', () => {
  const books = { ...plainPayer, lookupDelayMs: hourMs };
  const setBack = { nowMs: nowMs - 2 * hourMs, lastEventAtMs: () => nowMs };
  const claimed = claim(claimOptions({ capabilities: books }))(
    facts({ ...seen, seen: observation({ atMs: setBack.nowMs }) }, setBack),
  );
  const entry = claimed.kind === 'change' ? claimed.entry : seen;
  expect(entry.lastCallAtMs).toBe(nowMs);
  const decision = answered(1, { kind: 'ambiguous', message: 'time-out' }, books)(facts(entry, setBack));
  const lost = decision.kind === 'change' ? decision.entry : entry;
  const lookUp = (askedAtMs: number) =>
    recordLookup(1, { kind: 'not-found' }, { capabilities: books, askedAtMs });
  expect(story(lookUp(nowMs + hourMs - 1), lost)).toBe('kept: undecided');
  expect(story(lookUp(nowMs + hourMs), lost)).toBe('unknown -> intended (released)');
});
