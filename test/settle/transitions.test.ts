import { describe, expect, it } from 'vitest';
import type { PayerAnswer } from '../../src/payer/payer.ts';
import {
  answered,
  claim,
  importReward,
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

const states: readonly LedgerEntry[] = [seen, paying, unknown, paid, refused];
const idempotentClaim = claim(claimOptions({ capabilities: idempotentPayer }));
/** Called again under the same key. */
const calledTwice = entryAfter(() => ({ kind: 'change', entry: covered }), idempotentClaim);
/** The entry after a step that must change it. */
function changed(step: Step<unknown>, entry: LedgerEntry, changes: Partial<Facts> = {}): LedgerEntry {
  const decision = step(facts(entry, changes));
  if (decision.kind === 'no-change') throw new Error(`kept: ${JSON.stringify(decision.reason)}`);
  return decision.entry;
}

/** The call of a batch, which persons carry out. */
const inBatch = entryAfter(
  observe('R1', observation()),
  claim(claimOptions({ leaseMs: null, owner: 'batch' })),
);

describe('an observation', () => {
  it('brings a reward into the ledger, not paid and not reported', () => {
    expect(seen).toMatchObject({
      payment: 'intended',
      report: 'pending',
      attempt: 0,
      keyGeneration: 0,
      terms: null,
    });
  });

  it('older than the known one changes nothing', () => {
    expect(story(observe('R1', observation({ atMs: nowMs - 1 })), seen)).toBe('kept: older');
  });

  it('hides none made before it, if it was made in the future, before the clock was set back', () => {
    const ofFuture = { ...seen, seen: observation({ atMs: nowMs + hourMs }) };
    const shown = observation({ atMs: nowMs - 1, status: 'SUCCESS' });
    expect(story(observe('R1', shown), ofFuture)).toBe('intended -> intended (seen)');
  });

  it('is an event where it shows something new, and none where it does not', () => {
    expect(story(observe('R1', observation({ atMs: nowMs + 1 })), seen)).toBe('intended -> intended ()');
    expect(story(observe('R1', observation({ status: 'SUCCESS' })), seen)).toBe(
      'intended -> intended (seen)',
    );
  });

  it('of another amount never changes the terms of a key', () => {
    const decision = observe('R1', observation({ amount: 1n }))(facts(unknown));
    expect(decision).toMatchObject({ entry: { seen: { amount: 1n }, terms: unknown.terms } });
  });
});

describe('a claim', () => {
  it('makes the intent: key, amount, payee, attempt, owner, lease and reservation in one change', () => {
    const decision = claim(claimOptions())(facts(seen));
    expect(decision).toMatchObject({
      entry: {
        payment: 'paying',
        attempt: 1,
        terms: { amount: 5_000_000n, memberOriginId: 'M1', document: seen.seen.document },
        call: { owner: 'run', leaseUntilMs: nowMs + 60_000 },
        firstCallAtMs: nowMs,
        scopes: ['day 2026-01-01'],
      },
      event: { kind: 'claimed' },
      posting: { kind: 'reserve' },
    });
  });

  it('is granted once: what is under way, lost, paid or refused is not claimed by a payer without keys', () => {
    expect(states.map((entry) => story(claim(claimOptions()), entry))).toEqual([
      'intended -> paying (claimed, reserve)',
      'kept: under-way',
      'kept: in-doubt',
      'kept: decided',
      'kept: decided',
    ]);
  });

  it('of a lost call repeats it under the same key, without a second reservation', () => {
    expect(story(idempotentClaim, covered)).toBe('unknown -> paying (claimed)');
    expect(calledTwice).toMatchObject({ attempt: 2, terms: unknown.terms, scopes: unknown.scopes });
  });

  it('of a lost call ends with the key, however long its lease would be', () => {
    const almostOver = nowMs + 24 * hourMs - 1_000;
    const fresh = { ...covered, seen: observation({ atMs: almostOver }) };
    expect(idempotentClaim(facts(fresh, { nowMs: almostOver }))).toMatchObject({
      entry: { call: { leaseUntilMs: nowMs + 24 * hourMs } },
    });
  });

  it('of a lost call is not granted by a clock that was set back behind the last event', () => {
    const lastEventAt = (ms: number) => ({ lastEventAtMs: () => ms });
    expect(story(idempotentClaim, covered, lastEventAt(nowMs + 1))).toBe('kept: in-doubt');
    expect(story(idempotentClaim, covered, lastEventAt(nowMs))).toBe('unknown -> paying (claimed)');
    const later = { ...covered, lastCallAtMs: nowMs + 1 };
    expect(story(idempotentClaim, later, lastEventAt(nowMs))).toBe('kept: in-doubt');
  });

  it('is not granted of an unknown reward, nor by a frozen ledger', () => {
    expect(story(claim(claimOptions()), undefined)).toBe('kept: not-found');
    expect(story(claim(claimOptions()), seen, { frozen: 'audit' })).toBe('kept: frozen');
    expect(story(idempotentClaim, covered, { frozen: 'audit' })).toBe('kept: frozen');
  });

  it.each([
    { cap: { amount: 5_000_000n, count: null }, used: {}, becomes: 'intended -> paying (claimed, reserve)' },
    { cap: { amount: 4_999_999n, count: null }, used: {}, becomes: 'kept: capped' },
    { cap: { amount: 5_000_001n, count: null }, used: { reservedAmount: 2n }, becomes: 'kept: capped' },
    { cap: { amount: 5_000_001n, count: null }, used: { spentAmount: 2n }, becomes: 'kept: capped' },
    { cap: { amount: null, count: 1 }, used: {}, becomes: 'intended -> paying (claimed, reserve)' },
    { cap: { amount: null, count: 1 }, used: { reservedCount: 1 }, becomes: 'kept: capped' },
    { cap: { amount: null, count: 1 }, used: { spentCount: 1 }, becomes: 'kept: capped' },
  ])('fills a cap exactly: $cap.amount, $cap.count', ({ cap, used, becomes }) => {
    const free = { reservedAmount: 0n, reservedCount: 0, spentAmount: 0n, spentCount: 0 };
    const step = claim(claimOptions({ caps: [{ scope: 'day', ...cap }] }));
    expect(story(step, seen, { budget: (scope) => ({ scope, ...free, ...used }) })).toBe(becomes);
  });
});

describe('a claim of a lost call by another run', () => {
  const capOf = (scope: string, changes: Partial<Cap> = {}) => ({
    scope,
    amount: null,
    count: null,
    ...changes,
  });
  const counted = { ...covered, scopes: ['run one', 'day 1', 'member 1 M1'] };
  const claimBy = (run: string, changes: Partial<Cap> = {}) => {
    const caps = [capOf(`run ${run}`, changes), capOf('day 2', { amount: 0n }), capOf('member 2 M1')];
    return claim(claimOptions({ capabilities: idempotentPayer, run, caps }));
  };
  const isFull = { budget: (scope: string) => ({ ...untouched(scope), reservedCount: 1 }) };

  it('is charged to that run too, but to no other day, and not to the member again', () => {
    expect(claimBy('two')(facts(counted))).toMatchObject({
      entry: { payment: 'paying', scopes: [...counted.scopes, 'run two'] },
      posting: { kind: 'reserve', caps: [capOf('run two')] },
    });
  });

  it('is charged once, however often that run calls', () => {
    const again = { ...counted, scopes: [...counted.scopes, 'run two'] };
    expect(story(claimBy('two', { count: 1 }), again, isFull)).toBe('unknown -> paying (claimed)');
    expect(claimBy('two')(facts(again))).toMatchObject({ entry: { scopes: again.scopes } });
  });

  it('is not granted without room under the cap of that run', () => {
    expect(claimBy('two', { count: 1 })(facts(counted, isFull))).toMatchObject({
      kind: 'no-change',
      reason: { kind: 'capped', scope: 'run two' },
    });
    expect(story(claimBy('two', { amount: 4_999_999n }), counted)).toBe('kept: capped');
    expect(story(claimBy('two', { amount: 5_000_000n }), counted)).toBe(
      'unknown -> paying (claimed, reserve)',
    );
  });
});

describe('a claimed call', () => {
  const look = { attempt: 1, owner: 'run', nowMs, timeoutMs: 59_999 };

  it('leaves while its claim is held and its lease outlasts the call', () => {
    expect(mayCall(paying, look)).toBe(true);
    expect(mayCall(paying, { ...look, timeoutMs: 60_000 })).toBe(false);
    expect(mayCall(paying, { ...look, nowMs: nowMs + 1 })).toBe(false);
  });

  it('does not leave for another process, another call, or a reward that is not under way', () => {
    expect(mayCall(paying, { ...look, owner: 'other' })).toBe(false);
    expect(mayCall(paying, { ...look, attempt: 2 })).toBe(false);
    for (const entry of [undefined, seen, unknown, paid, refused, inBatch]) {
      expect(mayCall(entry, look)).toBe(false);
    }
  });
});

const said = (kind: 'paid' | 'refused' | 'retry' | 'misconfigured' | 'ambiguous') =>
  ({ kind, message: 'words' }) as const;

describe('an answer of the payer', () => {
  it('decides the call it answers', () => {
    expect(story(answered(1, said('paid'), plainPayer), paying)).toBe('paying -> paid (paid, spend)');
    expect(story(answered(1, said('refused'), plainPayer), paying)).toBe(
      'paying -> refused (refused, release)',
    );
    expect(story(answered(1, said('retry'), plainPayer), paying)).toBe(
      'paying -> intended (released, release)',
    );
    expect(story(answered(1, said('misconfigured'), plainPayer), paying)).toBe(
      'paying -> intended (released, release)',
    );
    expect(story(answered(1, said('ambiguous'), plainPayer), paying)).toBe(
      'paying -> unknown (outcome-unknown)',
    );
  });

  it('to an earlier call, or to a decided reward, changes nothing', () => {
    expect(story(answered(1, said('refused'), idempotentPayer), calledTwice)).toBe('kept: superseded');
    for (const entry of [seen, paid, refused]) {
      expect(story(answered(entry.attempt, said('paid'), plainPayer), entry)).toBe('kept: superseded');
    }
  });

  it('that comes after its call was given up still decides', () => {
    expect(story(answered(1, said('paid'), plainPayer), unknown)).toBe('unknown -> paid (paid, spend)');
  });

  it('that is ambiguous keeps the reservation', () => {
    expect(unknown.scopes).toEqual(paying.scopes);
  });
});

describe('an answer to a repeated call', () => {
  it('that nothing was paid is not final while an earlier call under the key may have paid', () => {
    for (const kind of ['refused', 'retry', 'misconfigured'] as const) {
      expect(story(answered(2, said(kind), idempotentPayer), calledTwice)).toBe(
        'paying -> unknown (outcome-unknown)',
      );
    }
  });

  it('that refuses a repeated call is final once the books had to show an earlier payment', () => {
    const step = (beganAtMs?: number) =>
      story(answered(2, said('refused'), idempotentPayer, beganAtMs), calledTwice);
    expect([undefined, nowMs, nowMs + hourMs - 1, nowMs + hourMs].map(step)).toEqual([
      'paying -> unknown (outcome-unknown)',
      'paying -> unknown (outcome-unknown)',
      'paying -> unknown (outcome-unknown)',
      'paying -> refused (refused, release)',
    ]);
    expect(story(answered(2, said('retry'), idempotentPayer, nowMs + hourMs), calledTwice)).toBe(
      'paying -> unknown (outcome-unknown)',
    );
  });

  it('says when a refusal will be final, unless the key is forgotten by then', () => {
    const reason = (lookupDelayMs: number, answer: PayerAnswer = said('refused')) =>
      changed(answered(2, answer, { ...idempotentPayer, lookupDelayMs }), calledTwice).reason;
    const inDoubt = 'words, but an earlier call may have paid';
    expect(reason(hourMs)).toBe(`${inDoubt}; a refusal after 2026-01-01T15:59:00Z is final`);
    expect(reason(1)).toBe(`${inDoubt}; a refusal after 2026-01-01T14:59:01Z is final`);
    expect(reason(24 * hourMs)).toBe(inDoubt);
    expect(reason(hourMs, said('retry'))).toBe(inDoubt);
  });

  it('that nothing was paid leaves the time of the last call that may have paid', () => {
    const later = { nowMs: nowMs + 1_000 };
    const again = changed(idempotentClaim, covered, later);
    expect([again.attempt, again.lastCallAtMs]).toEqual([2, nowMs]);
    const lastCallAfter = (step: Step<unknown>) => changed(step, again, later).lastCallAtMs;
    expect(lastCallAfter(answered(2, said('refused'), idempotentPayer))).toBe(nowMs);
    expect(lastCallAfter(answered(2, said('misconfigured'), idempotentPayer))).toBe(nowMs);
    expect(lastCallAfter(answered(2, said('ambiguous'), idempotentPayer))).toBe(nowMs + 1_000);
    const dead = { isOwnerAlive: false, capabilities: idempotentPayer };
    expect(lastCallAfter(recover(2, { kind: 'refused' }, dead))).toBe(nowMs);
    expect(lastCallAfter(recover(2, { kind: 'none' }, dead))).toBe(nowMs + 1_000);
  });

  it('of a payer that repeats its answers is final when it refuses, but not when it asks to come back', () => {
    const capabilities = { ...idempotentPayer, replaysResponse: true };
    expect(story(answered(2, said('refused'), capabilities), calledTwice)).toBe(
      'paying -> refused (refused, release)',
    );
    expect(story(answered(2, said('retry'), capabilities), calledTwice)).toBe(
      'paying -> unknown (outcome-unknown)',
    );
  });
});

describe('recovery', () => {
  const none = { kind: 'none' } as const;
  const dead = { isOwnerAlive: false, capabilities: plainPayer };
  const anybody = { isOwnerAlive: undefined, capabilities: plainPayer };

  it('never undoes a call: without a record its outcome is unknown', () => {
    expect(story(recover(1, none, dead), paying)).toBe('paying -> unknown (outcome-unknown)');
  });

  it('believes what the payer left behind, also later', () => {
    const refusal = { kind: 'refused' } as const;
    expect(story(recover(1, { kind: 'paid' }, dead), paying)).toBe('paying -> paid (paid, spend)');
    expect(story(recover(1, refusal, dead), paying)).toBe('paying -> refused (refused, release)');
    expect(story(recover(1, { kind: 'paid' }, dead), unknown)).toBe('unknown -> paid (paid, spend)');
    expect(story(recover(1, none, dead), unknown)).toBe('kept: settled');
  });

  it('leaves alone an owner that lives, a payer at work, a lease that runs and a batch', () => {
    const overMs = { nowMs: nowMs + 60_001 };
    const atWork = { kind: 'running', message: 'process 7' } as const;
    expect(story(recover(1, none, { ...dead, isOwnerAlive: true }), paying, overMs)).toBe('kept: under-way');
    expect(story(recover(1, atWork, dead), paying)).toBe('kept: under-way');
    expect(story(recover(1, none, anybody), paying, { nowMs: nowMs + 60_000 })).toBe('kept: under-way');
    expect(story(recover(1, none, dead), inBatch)).toBe('kept: under-way');
    expect(story(recover(1, none, anybody), paying, overMs)).toBe('paying -> unknown (outcome-unknown)');
  });

  it('keeps on record, with its lease, a call that another machine may have made and may still carry out', () => {
    const shared = { ...dead, isShared: true };
    expect(changed(recover(1, none, shared), paying)).toMatchObject({ call: paying.call });
    expect(changed(recover(1, { kind: 'ended' }, shared), paying)).toMatchObject({ call: null });
    expect(changed(recover(1, none, dead), paying)).toMatchObject({ call: null });
  });

  it('by what was found of an earlier call leaves the later one alone', () => {
    for (const evidence of [none, { kind: 'refused' }] as const) {
      expect(story(recover(1, evidence, dead), calledTwice)).toBe('kept: superseded');
    }
  });
});

describe("a look at the payer's books", () => {
  const quietOver = nowMs + hourMs;

  it('settles an unknown payment that they show', () => {
    const step = recordLookup(1, { kind: 'paid', ref: 'T1' }, { capabilities: plainPayer, askedAtMs: nowMs });
    expect(story(step, unknown)).toBe('unknown -> paid (paid, spend)');
  });

  it('proves nothing before the payer has been quiet, even where the word of it is noted later', () => {
    const step = recordLookup(
      1,
      { kind: 'not-found' },
      { capabilities: plainPayer, askedAtMs: quietOver - 1 },
    );
    expect(story(step, unknown, { nowMs: quietOver - 1 })).toBe('kept: undecided');
    expect(story(step, unknown, { nowMs: quietOver + hourMs })).toBe('kept: undecided');
  });

  it('proves after that time that nothing was paid', () => {
    const step = recordLookup(1, { kind: 'not-found' }, { capabilities: plainPayer, askedAtMs: quietOver });
    expect(story(step, unknown)).toBe('unknown -> intended (released, release)');
  });

  it('counts the quiet from when the lost call may have left at the latest: now, or the end of its lease', () => {
    const lostAt = (laterMs: number) => {
      const step = recover(1, { kind: 'none' }, { isOwnerAlive: false, capabilities: plainPayer });
      const decision = step(facts(paying, { nowMs: nowMs + laterMs }));
      return decision.kind === 'change' ? decision.entry.lastCallAtMs : undefined;
    };
    expect([0, 1_000, 60_000, hourMs].map(lostAt)).toEqual([
      nowMs,
      nowMs + 1_000,
      nowMs + 60_000,
      nowMs + 60_000,
    ]);
    // A clock that was set back makes no call older.
    expect(lostAt(-1_000)).toBe(nowMs);
  });

  it('says nothing of a later call, nor where it could not be made', () => {
    const asked = { capabilities: plainPayer, askedAtMs: quietOver };
    expect(story(recordLookup(0, { kind: 'not-found' }, asked), unknown)).toBe('kept: undecided');
    expect(story(recordLookup(1, { kind: 'undecided', message: 'closed' }, asked), unknown)).toBe(
      'kept: undecided',
    );
  });
});

describe('a payment that the payer took back', () => {
  const finding = { kind: 'reversed', ref: 'B1', reason: 'the order was cancelled' } as const;

  it('stays decided and spent, with the receipt of the reversal as its reason', () => {
    expect(story(reverse(paid, finding), paid)).toBe('paid -> paid (reversed)');
    const reason = 'taken back by the payer: B1';
    expect(changed(reverse(paid, finding), paid)).toEqual({ ...paid, reason });
    const decision = reverse(paid, finding)(facts(paid));
    expect(decision).toMatchObject({
      event: { detail: { ref: 'B1', amount: '500', reason: finding.reason } },
    });
  });

  it('is recorded by who read the entry as it is, and of nothing but a payment', () => {
    const taken = changed(reverse(paid, finding), paid);
    expect(story(reverse(paid, finding), taken)).toBe('kept: superseded');
    for (const entry of [seen, paying, unknown, refused])
      expect(story(reverse(entry, finding), entry)).toBe('kept: not-paid');
    expect(reverse(paid, finding)(facts(undefined))).toMatchObject({
      reason: { kind: 'not-found', message: 'the ledger does not know this reward' },
    });
  });
});

describe('the finding of a person', () => {
  const notPaid = { kind: 'not-paid', reason: 'asked the bank' } as const;

  it('settles an unknown payment, and is on record as such', () => {
    const receipt = { kind: 'paid', ref: 'T1' } as const;
    expect(story(resolve(1, receipt, plainPayer), unknown)).toBe('unknown -> paid (resolved, spend)');
    expect(story(resolve(1, { kind: 'refused', reason: 'left' }, plainPayer), unknown)).toBe(
      'unknown -> refused (resolved, release)',
    );
    expect(story(resolve(1, notPaid, plainPayer), unknown)).toBe('unknown -> intended (resolved, release)');
  });

  it('is refused while a call may be under way, except of a batch', () => {
    expect(story(resolve(1, notPaid, plainPayer), paying)).toBe('kept: under-way');
    expect(story(resolve(1, notPaid, plainPayer), inBatch)).toBe('paying -> intended (resolved, release)');
  });

  it('that nothing was paid waits for the lease of a call on another machine, and says until when', () => {
    const held = { ...unknown, call: { owner: 'run 7', leaseUntilMs: nowMs + 1 } };
    for (const kind of ['not-paid', 'refused'] as const)
      expect(resolve(1, { kind, reason: 'asked' }, plainPayer)(facts(held))).toMatchObject({
        reason: {
          kind: 'under-way',
          message: `the payer that run 7 called on another machine may still pay it until ${new Date(nowMs + 1).toISOString()}: run the same command again after that`,
        },
      });
    expect(story(resolve(1, notPaid, plainPayer), held, { nowMs: nowMs + 1 })).toBe(
      'unknown -> intended (resolved, release)',
    );
    const receipt = { kind: 'paid', ref: 'T1' } as const;
    expect(story(resolve(1, receipt, plainPayer), held)).toBe('unknown -> paid (resolved, spend)');
  });

  it('about an earlier call says nothing of a later one', () => {
    const lostAgain = entryAfter(
      () => ({ kind: 'change', entry: calledTwice }),
      answered(2, { kind: 'ambiguous', message: 'time-out' }, idempotentPayer),
    );
    expect(story(resolve(1, notPaid, idempotentPayer), lostAgain)).toBe('kept: superseded');
  });

  it('changes nothing that is decided, was never called for or is not in the ledger', () => {
    expect(story(resolve(1, notPaid, plainPayer), paid)).toBe('kept: decided');
    expect(story(resolve(1, notPaid, plainPayer), refused)).toBe('kept: decided');
    expect(story(resolve(0, notPaid, plainPayer), seen)).toBe('kept: never-called');
    expect(story(resolve(0, notPaid, plainPayer), undefined)).toBe('kept: not-found');
  });

  it('that nothing was paid makes a new key only where the payer honours none, or the reward has changed', () => {
    const entryOf = (entry: LedgerEntry, capabilities: typeof plainPayer | typeof idempotentPayer) =>
      resolve(entry.attempt, notPaid, capabilities)(facts(entry));
    expect(entryOf(unknown, plainPayer)).toMatchObject({ entry: { keyGeneration: 1, terms: null } });
    expect(entryOf(covered, idempotentPayer)).toMatchObject({
      entry: { keyGeneration: 0, terms: unknown.terms },
    });
    const changed = { ...covered, seen: observation({ amount: 1n }) };
    expect(entryOf(changed, idempotentPayer)).toMatchObject({ entry: { keyGeneration: 1, terms: null } });
  });
});

describe('a key of a payer that honours keys', () => {
  const notPaid = resolve(1, { kind: 'not-paid', reason: 'asked' }, idempotentPayer);
  const laterMs = nowMs + hourMs;
  const again: LedgerEntry = {
    ...entryAfter(() => ({ kind: 'change', entry: covered }), notPaid),
    seen: observation({ atMs: laterMs }),
  };
  const calledAgain = idempotentClaim(facts(again, { nowMs: laterMs }));

  it('comes again after proof that nothing was paid, and is known since its first call', () => {
    expect(calledAgain).toMatchObject({ entry: { terms: unknown.terms, firstCallAtMs: nowMs } });
  });

  it('is known since then even where the payer asked to come back', () => {
    const called = calledAgain.kind === 'change' ? calledAgain.entry : seen;
    const sentBack = answered(2, { kind: 'retry', message: 'later' }, idempotentPayer)(facts(called));
    expect(sentBack).toMatchObject({ entry: { payment: 'intended', firstCallAtMs: nowMs } });
  });

  it('is as new after a first call that paid nothing', () => {
    const sentBack = answered(1, { kind: 'retry', message: 'later' }, idempotentPayer)(facts(paying));
    expect(sentBack).toMatchObject({ entry: { payment: 'intended', firstCallAtMs: null } });
  });

  it('does not come again once the payer has forgotten it', () => {
    const decision = notPaid(facts(covered, { nowMs: nowMs + 24 * hourMs }));
    expect(decision).toMatchObject({ entry: { keyGeneration: 1, terms: null, firstCallAtMs: null } });
  });
});

describe('a reward paid before there was a ledger', () => {
  it('is paid and only waits to be reported', () => {
    expect(story(importReward('R1', observation(), 'T0'), undefined)).toBe('none -> paid (imported)');
  });

  it('names a receipt only where there is one: then a person has resolved it', () => {
    const detailOf = (ref: string | null) => {
      const decision = importReward('R1', observation(), ref)(facts(undefined));
      return decision.kind === 'change' ? Object.keys(decision.event?.detail ?? {}) : [];
    };
    expect(detailOf('T0')).toEqual([...detailOf(null), 'ref']);
    expect(detailOf(null)).not.toContain('ref');
  });

  it('is taken over once', () => {
    expect(story(importReward('R1', observation(), 'T0'), seen)).toBe('kept: known');
  });
});

describe('telling the service', () => {
  const told = recordReport({ kind: 'sent', status: 'SUCCESS' });
  const confirmed = recordReport({ kind: 'confirmed', status: 'SUCCESS' });
  const conflict = recordReport({ kind: 'conflict', message: 'the service says FAILURE' });

  it('is empty before the outcome is decided', () => {
    for (const entry of [seen, paying, unknown]) expect(story(told, entry)).toBe('kept: undecided');
  });

  it('goes from pending over sent to confirmed or conflict, and a conflict may be resolved', () => {
    const kinds = ['pending', 'sent', 'confirmed', 'conflict'] as const;
    const path = kinds.map((from) =>
      [told, confirmed, conflict].map((step) => {
        const decision = step(facts({ ...paid, report: from }));
        return decision.kind === 'change' ? decision.entry.report : '-';
      }),
    );
    expect(path).toEqual([
      ['sent', 'confirmed', 'conflict'],
      ['-', 'confirmed', 'conflict'],
      ['-', '-', '-'],
      ['-', 'confirmed', '-'],
    ]);
  });

  it('changes nothing about the money', () => {
    for (const step of [told, confirmed, conflict]) {
      expect(step(facts(paid))).toMatchObject({ entry: { payment: 'paid', terms: paid.terms } });
    }
  });
});
