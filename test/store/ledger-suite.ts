import { describe, expect, test } from 'vitest';
import { pick, seededRandom } from '../../src/base/random.ts';
import type { PayerAnswer } from '../../src/payer/payer.ts';
import {
  answered,
  claim,
  importReward,
  type ManualOutcome,
  observe,
  type ReportResult,
  recordReport,
  recover,
  resolve,
  reverse,
} from '../../src/settle/rules/transitions.ts';
import type { Decision, Ledger, LedgerEntry, Step } from '../../src/store/ledger/ledger.ts';
import { claimOptions, idempotentPayer, nowMs, observation, plainPayer } from '../settle/entries.ts';
import { all } from './all-pages.ts';
import { by, claimIn, day, seeIn, uncapped } from './ledger-steps.ts';

/** Reopens the ledger of a test, as another process would. Its clock is fixed at `nowMs`. */
export type OpenLedger = () => Promise<Ledger>;

const testOf = (place: () => Promise<OpenLedger>) =>
  test.extend('open', () => place()).extend('ledger', ({ open }) => open());
type LedgerTest = ReturnType<typeof testOf>;

/** The contract of `Ledger`; `place` makes a new, empty one for each test. */
export function describeLedger(name: string, place: () => Promise<OpenLedger>): void {
  describe(name, () => {
    const it = testOf(place);
    promiseChanges(it);
    promiseRaces(it);
    promiseLaw(it);
    promiseBudgets(it);
    promiseRepeats(it);
    promiseReads(it);
    promiseChecks(it);
    promiseReceipts(it);
    promiseCourse(it);
    promiseFilters(it);
    promiseNotes(it);
  });
}

const paid = { kind: 'paid', ref: 'T1' } as const;
const answers: readonly [PayerAnswer, ...PayerAnswer[]] = [
  paid,
  { kind: 'refused' },
  { kind: 'retry', message: 'busy' },
  { kind: 'ambiguous', message: 'time-out' },
];

const answerIn = (ledger: Ledger, rewardId: string, answer: PayerAnswer = paid, attempt = 1) =>
  ledger.change(rewardId, answered(attempt, answer, plainPayer), { by });

/** A call by `run` to an idempotent payer, which counts for that run and for the day. */
const callOf = (run: string) => ({
  run,
  caps: uncapped(`run ${run}`, day),
  capabilities: { ...idempotentPayer, name: plainPayer.name },
});

/** Claims a reward for one more call, whose process then dies. */
async function loseCall(ledger: Ledger, rewardId: string, call: ReturnType<typeof callOf>): Promise<void> {
  await seeIn(ledger, rewardId);
  const { entry } = await claimIn(ledger, rewardId, call);
  const known = { isOwnerAlive: false, capabilities: call.capabilities };
  const step = recover(entry?.attempt ?? 0, { kind: 'none' }, known);
  expect(await ledger.change(rewardId, step, { by })).toMatchObject({ entry: { payment: 'unknown' } });
}

async function settleIn(ledger: Ledger, rewardId: string, answer: PayerAnswer = paid): Promise<void> {
  await seeIn(ledger, rewardId);
  await claimIn(ledger, rewardId);
  await answerIn(ledger, rewardId, answer);
}

export async function wrongIn(ledger: Ledger, onChecked?: (events: number) => void): Promise<string[]> {
  const wrong: string[] = [];
  for await (const words of ledger.verify(onChecked)) wrong.push(words);
  return wrong;
}

const idsIn = async (ledger: Ledger, filter?: Parameters<Ledger['entries']>[0]) =>
  (await all(ledger.entries(filter))).map(({ rewardId }) => rewardId);

const historyOf = async (ledger: Ledger, rewardId?: string) =>
  (await all(ledger.events(rewardId))).map(({ seq, kind, payment }) => `${seq} ${kind} ${payment}`);

function promiseChanges(it: LedgerTest): void {
  it('a change, its event and its posting are there together when it resolves, as another process sees them', async ({
    open,
    ledger,
  }) => {
    const other = await open();
    expect(await seeIn(ledger, 'R1')).toMatchObject({ kind: 'changed', seq: 1 });
    const claimed = await claimIn(ledger, 'R1');
    expect(claimed).toMatchObject({ kind: 'changed', seq: 2 });
    expect(await other.find('R1')).toEqual(claimed.entry);
    expect(await other.budgets('')).toEqual([
      {
        scope: day,
        reservedAmount: 5_000_000n,
        reservedCount: 1,
        spentAmount: 0n,
        spentCount: 0,
      },
    ]);
    expect((await all(other.events('R1')))[1]).toEqual({
      seq: 2,
      atMs: nowMs,
      rewardId: 'R1',
      kind: 'claimed',
      by,
      payment: 'paying',
      report: 'pending',
      attempt: 1,
      detail: expect.objectContaining({ amount: '500', owner: 'run' }),
    });
  });

  it('an entry comes back exactly, whatever its texts and however large its amount', async ({
    open,
    ledger,
  }) => {
    const odds = [
      '__proto__',
      ' ',
      '007',
      '1e5',
      "O'Brien",
      '상품-1',
      'e\u0301',
      '👩‍👩‍👧',
      'x'.repeat(5_000),
    ];
    for (const odd of odds) {
      const document = JSON.stringify({ odd });
      await seeIn(ledger, odd, { memberOriginId: odd, document, amount: 10n ** 15n });
      const { entry } = await claimIn(ledger, odd, { caps: uncapped(odd) });
      expect(await (await open()).find(odd)).toEqual(entry);
    }
  });

  it('what a payer said is kept, but for characters that no database keeps', async ({ ledger }) => {
    await seeIn(ledger, 'R1');
    await claimIn(ledger, 'R1');
    const stepped = await answerIn(ledger, 'R1', { kind: 'paid', ref: 'a\0b\ud800' });
    expect(stepped.entry?.ref).toBe('a\ufffdb\ufffd');
    expect(await ledger.find('R1')).toEqual(stepped.entry);
  });

  it('a step that keeps an entry writes nothing and says why', async ({ ledger }) => {
    expect(await claimIn(ledger, 'R1')).toMatchObject({ kind: 'kept', reason: { kind: 'not-found' } });
    await seeIn(ledger, 'R1');
    const older = await seeIn(ledger, 'R1', { atMs: nowMs - 1 });
    expect(older).toMatchObject({ kind: 'kept', reason: { kind: 'older' }, entry: { rewardId: 'R1' } });
    expect(await ledger.lastSeq()).toBe(1);
  });
}

function promiseRaces(it: LedgerTest): void {
  it('a step that throws writes nothing, and takes nothing from others asked at once', async ({ ledger }) => {
    const failing = () => {
      throw new Error('not this one');
    };
    const broken = ledger.change('R2', failing, { by });
    const others = [seeIn(ledger, 'R1'), seeIn(ledger, 'R3')];
    await expect(broken).rejects.toThrow('not this one');
    await Promise.all(others);
    expect(await idsIn(ledger)).toEqual(['R1', 'R3']);
    expect(await historyOf(ledger)).toEqual(['1 seen intended', '2 seen intended']);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  it('of many claims of one reward asked at once, by several processes, one is had', async ({
    open,
    ledger,
  }) => {
    const ledgers = [ledger, await open(), await open(), await open()];
    await seeIn(ledger, 'R1');
    const claims = await Promise.all([...ledgers, ...ledgers].map((each) => claimIn(each, 'R1')));
    expect(claims.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
    expect(await ledger.find('R1')).toMatchObject({ attempt: 1, payment: 'paying' });
  });
}

function promiseLaw(it: LedgerTest): void {
  it('refuses as a bug what the law forbids, and writes nothing of it', async ({ ledger }) => {
    await seeIn(ledger, 'R1');
    const { entry } = await claimIn(ledger, 'R1');
    if (entry === undefined) throw new Error('not claimed');
    const keptInBudgets: Decision<never> = {
      kind: 'change',
      entry: { ...entry, payment: 'refused', call: null },
      event: { kind: 'refused', detail: {} },
    };
    await expect(ledger.change('R1', () => keptInBudgets, { by })).rejects.toThrow(
      'invalid change of reward R1',
    );
    expect(await ledger.find('R1')).toEqual(entry);
    expect(await ledger.lastSeq()).toBe(2);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  it('names that a database would not give back are refused before they can name another reward', async ({
    ledger,
  }) => {
    for (const odd of ['R\0two', 'half \ud800']) {
      await expect(seeIn(ledger, odd)).rejects.toThrow('cannot be stored');
      await expect(seeIn(ledger, 'R1', { memberOriginId: odd })).rejects.toThrow('cannot be stored');
    }
    expect(await idsIn(ledger)).toEqual([]);
  });

  it('a change that cannot be written harms none that shares its transaction, and leaves nothing', async ({
    ledger,
  }) => {
    await seeIn(ledger, 'R1');
    const unwritable: Step<unknown> = (facts) => {
      const decision = claim(claimOptions())(facts);
      if (decision.kind !== 'change' || decision.event === undefined) return decision;
      return { ...decision, event: { ...decision.event, detail: { amount: 1n } as never } };
    };
    const [first, second] = await Promise.allSettled([
      ledger.change('R1', unwritable, { by, scopes: [day] }),
      seeIn(ledger, 'R2'),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
    expect(second).toMatchObject({ status: 'fulfilled', value: { kind: 'changed' } });
    expect(await ledger.find('R1')).toMatchObject({ payment: 'intended' });
    expect(await ledger.budgets('')).toEqual([]);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  it('a budget that the caller did not name is a bug', async ({ ledger }) => {
    await seeIn(ledger, 'R1');
    await expect(ledger.change('R1', claim(claimOptions()), { by, scopes: [] })).rejects.toThrow(
      'did not name the budget',
    );
  });

  it('once frozen no process claims, and what is under way still comes to its end', async ({
    open,
    ledger,
  }) => {
    const other = await open();
    await seeIn(other, 'R1');
    await seeIn(other, 'R2');
    await claimIn(other, 'R1');
    expect(await other.meta()).toMatchObject({ frozen: null });
    await ledger.freeze('the payer is being moved');
    expect(await other.meta()).toMatchObject({ frozen: 'the payer is being moved' });
    expect(await claimIn(other, 'R2')).toMatchObject({ kind: 'kept', reason: { kind: 'frozen' } });
    const heedless: Step<unknown> = (facts) => claim(claimOptions())({ ...facts, frozen: undefined });
    await expect(other.change('R2', heedless, { by, scopes: [day] })).rejects.toThrow(
      'while the ledger is frozen',
    );
    expect(await answerIn(other, 'R1')).toMatchObject({ kind: 'changed' });
    await ledger.unfreeze();
    expect(await claimIn(other, 'R2')).toMatchObject({ kind: 'changed' });
  });
}

function promiseBudgets(it: LedgerTest): void {
  it('caps of amount and of count are hit exactly by claims of several processes at once', async ({
    open,
    ledger,
  }) => {
    const ledgers = [ledger, await open(), await open(), await open()];
    const ids = Array.from({ length: 40 }, (_, index) => `R${index}`);
    await Promise.all(ids.map((id) => seeIn(ledger, id)));
    const claimedUpTo = async (amount: bigint) => {
      const caps = [
        { scope: 'day', amount, count: null },
        { scope: 'run', amount: null, count: 9 },
      ];
      const claims = ids.map((id, index) => claimIn(ledgers[index % 4] ?? ledger, id, { caps }));
      return (await Promise.all(claims)).filter(({ kind }) => kind === 'changed').length;
    };
    expect(await claimedUpTo(35_000_000n)).toBe(7);
    expect(await claimedUpTo(100_000_000n)).toBe(2);
    expect(await ledger.budgets('')).toMatchObject([
      { scope: 'day', reservedAmount: 45_000_000n, reservedCount: 9 },
      { scope: 'run', reservedAmount: 45_000_000n, reservedCount: 9 },
    ]);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  it('what is paid is spent, what is refused or sent back is free again, what is unknown stays reserved', async ({
    ledger,
  }) => {
    for (const [index, answer] of answers.entries()) await settleIn(ledger, `R${index}`, answer);
    const budget = { scope: day, reservedAmount: 5_000_000n, reservedCount: 1 };
    expect(await ledger.budgets('day')).toEqual([{ ...budget, spentAmount: 5_000_000n, spentCount: 1 }]);
    const { capabilities } = callOf('run');
    expect(await claimIn(ledger, 'R3', { capabilities })).toMatchObject({
      kind: 'changed',
      entry: { attempt: 2 },
    });
    expect(await ledger.budgets('day')).toMatchObject([budget]);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  it('budgets are found by how their scope begins, letter by letter', async ({ ledger }) => {
    const scopes = ['day 1', 'day_2', 'DAY 1', '일 1'];
    await seeIn(ledger, 'R1');
    await claimIn(ledger, 'R1', { caps: uncapped(...scopes) });
    const found = async (prefix: string) => (await ledger.budgets(prefix)).map(({ scope }) => scope);
    expect(await found('day ')).toEqual(['day 1']);
    expect(await found('day_')).toEqual(['day_2']);
    expect(await found('일')).toEqual(['일 1']);
    expect(await found('')).toHaveLength(4);
  });
}

function promiseRepeats(it: LedgerTest): void {
  it('the cap of a run is hit exactly by calls it repeats, asked for by several processes at once', async ({
    open,
    ledger,
  }) => {
    const ledgers = [ledger, await open()];
    const ids = Array.from({ length: 12 }, (_, index) => `R${index}`);
    for (const id of ids) await loseCall(ledger, id, callOf('one'));
    const call = { ...callOf('two'), caps: [{ scope: 'run two', amount: null, count: 5 }, ...uncapped(day)] };
    const claims = await Promise.all(ids.flatMap((id) => ledgers.map((each) => claimIn(each, id, call))));
    expect(claims.filter(({ kind }) => kind === 'changed')).toHaveLength(5);
    expect(await ledger.budgets('')).toMatchObject([
      { scope: day, reservedAmount: 60_000_000n, reservedCount: 12 },
      { scope: 'run one', reservedAmount: 60_000_000n, reservedCount: 12 },
      { scope: 'run two', reservedAmount: 25_000_000n, reservedCount: 5 },
    ]);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  it('a call repeated by three runs counts once in each of them and once in all on its day, lost, sent back or paid', async ({
    ledger,
  }) => {
    const used = async () =>
      (await ledger.budgets('')).map(
        ({ scope, reservedCount, spentCount }) => `${scope}: ${reservedCount} reserved, ${spentCount} spent`,
      );
    await loseCall(ledger, 'R1', callOf('one'));
    await loseCall(ledger, 'R1', callOf('two'));
    await loseCall(ledger, 'R1', callOf('two'));
    expect(await used()).toEqual([
      'day 2026-01-01: 1 reserved, 0 spent',
      'run one: 1 reserved, 0 spent',
      'run two: 1 reserved, 0 spent',
    ]);
    expect(await wrongIn(ledger)).toEqual([]);
    const notPaid = { kind: 'not-paid', reason: 'asked' } as const;
    await ledger.change('R1', resolve(3, notPaid, callOf('two').capabilities), { by });
    const free = ['day 2026-01-01', 'run one', 'run two'].map((scope) => `${scope}: 0 reserved, 0 spent`);
    expect(await used()).toEqual(free);
    await loseCall(ledger, 'R1', callOf('two'));
    await claimIn(ledger, 'R1', callOf('three'));
    await answerIn(ledger, 'R1', paid, 5);
    expect(await used()).toEqual([
      'day 2026-01-01: 0 reserved, 1 spent',
      'run one: 0 reserved, 0 spent',
      'run three: 0 reserved, 1 spent',
      'run two: 0 reserved, 1 spent',
    ]);
    expect(await wrongIn(ledger)).toEqual([]);
  });
}

function promiseReads(it: LedgerTest): void {
  it('pages show each reward once, in the order of ids, while rewards change and come behind the page', async ({
    ledger,
  }) => {
    const ids = Array.from({ length: 1_200 }, (_, index) => `R${String(index).padStart(5, '0')}`);
    await Promise.all(ids.map((id) => seeIn(ledger, id)));
    const found: LedgerEntry[] = [];
    for await (const page of ledger.entries()) {
      if (found.length === 0) {
        await claimIn(ledger, 'R00000');
        await claimIn(ledger, 'R01199');
        await seeIn(ledger, 'A');
        await seeIn(ledger, 'S');
      }
      found.push(...page);
    }
    expect(found.map(({ rewardId }) => rewardId)).toEqual([...ids, 'S']);
    expect(found[0]?.payment).toBe('intended');
    expect(found[1_199]?.payment).toBe('paying');
  });

  it('the history is told in order, of one reward and of all, without a gap', async ({ ledger }) => {
    await settleIn(ledger, 'R1');
    await seeIn(ledger, 'R2');
    await ledger.change('R1', recordReport({ kind: 'sent', status: 'SUCCESS' }), { by });
    expect(await historyOf(ledger, 'R1')).toEqual([
      '1 seen intended',
      '2 claimed paying',
      '3 paid paid',
      '5 reported paid',
    ]);
    expect(await historyOf(ledger, 'R2')).toEqual(['4 seen intended']);
    expect(await historyOf(ledger)).toHaveLength(5);
    await Promise.all(Array.from({ length: 1_100 }, (_, index) => seeIn(ledger, `S${index}`)));
    const seqs = (await all(ledger.events())).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 1_105 }, (_, index) => index + 1));
    expect(await ledger.lastSeq()).toBe(1_105);
  });

  it('sums are exact beyond what 64 bits hold, by terms, else by what was seen', async ({ ledger }) => {
    expect(await ledger.sums()).toEqual([]);
    const large = Array.from({ length: 9_300 }, (_, index) => `R${index}`);
    const most = 10n ** 15n;
    await Promise.all(
      large.map((id) => ledger.change(id, importReward(id, observation({ amount: most }), null), { by })),
    );
    await seeIn(ledger, 'S1', { amount: 15_001n });
    await seeIn(ledger, 'S2', { amount: null });
    await claimIn(ledger, 'S1');
    await seeIn(ledger, 'S1', { amount: 1n });
    expect(await ledger.sums()).toEqual([
      { payment: 'intended', report: 'pending', count: 1, amount: 0n },
      { payment: 'paid', report: 'pending', count: 9_300, amount: most * 9_300n },
      { payment: 'paying', report: 'pending', count: 1, amount: 15_001n },
    ]);
  });
}

function promiseChecks(it: LedgerTest): void {
  it('a check tells how far it is, and ends where it is told to', async ({ ledger }) => {
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => seeIn(ledger, `R${index}`)));
    const checked: number[] = [];
    expect(await wrongIn(ledger, (events) => checked.push(events))).toEqual([]);
    expect(checked.length).toBeGreaterThan(1);
    expect(checked.at(-1)).toBe(1_200);
    // Timers and signals run between the pages.
    const turns: number[] = [];
    let turn = 0;
    let isOver = false;
    const pass = () => {
      turn += 1;
      if (!isOver) setImmediate(pass);
    };
    pass();
    await wrongIn(ledger, () => turns.push(turn));
    isOver = true;
    expect(new Set(turns).size).toBe(checked.length);
    const interrupted = new Error('interrupted');
    const interrupt = () => {
      throw interrupted;
    };
    await expect(wrongIn(ledger, interrupt)).rejects.toBe(interrupted);
  });

  it('what the payer took back is told in order, changes no state and no budget, and is intact', async ({
    ledger,
  }) => {
    for (const rewardId of ['R1', 'R2', 'R3']) await settleIn(ledger, rewardId);
    const spent = await ledger.budgets('');
    for (const rewardId of ['R3', 'R1']) {
      const step = reverse({ reason: null }, { kind: 'reversed', ref: `back ${rewardId}` });
      expect(await ledger.change(rewardId, step, { by })).toMatchObject({
        entry: { payment: 'paid', ref: 'T1' },
      });
    }
    const reversed = await all(ledger.reversals());
    expect(reversed.map(({ rewardId, kind, detail }) => [rewardId, kind, detail])).toEqual([
      ['R3', 'reversed', { ref: 'back R3', amount: '500' }],
      ['R1', 'reversed', { ref: 'back R1', amount: '500' }],
    ]);
    expect(await ledger.budgets('')).toEqual(spent);
    expect(await wrongIn(ledger)).toEqual([]);
  });
}

function promiseReceipts(it: LedgerTest): void {
  it('of payments with one receipt, each later one by the payer is known by an earlier one', async ({
    ledger,
  }) => {
    const same = (rewardId: string, ref: string | null) => ledger.findSameReceipt({ rewardId, ref });
    // Out of the order of their ids.
    for (const rewardId of ['R3', 'R1', 'R2']) await settleIn(ledger, rewardId);
    expect(await same('R3', 'T1')).toBeUndefined();
    expect(await same('R1', 'T1')).toBe('R3');
    expect(await same('R2', 'T1')).toMatch(/^R[13]$/);
    // Receipts of any length, too long for an index, are distinguished.
    const long = Array.from({ length: 40 }, (_, index) => `${index}-${Math.sin(index)}`)
      .join()
      .repeat(6);
    for (const [rewardId, ref] of [
      ['L1', `${long}1`],
      ['L2', `${long}2`],
      ['L3', `${long}1`],
    ] as const) {
      await settleIn(ledger, rewardId, { kind: 'paid', ref });
      expect(await same(rewardId, ref)).toBe(rewardId === 'L3' ? 'L1' : undefined);
    }
    await seeIn(ledger, 'R4');
    await ledger.change('R4', resolve(0, paid, plainPayer), { by });
    expect(await same('R4', 'T1')).toBeUndefined();
    expect(await same('R1', 'T2')).toBeUndefined();
    expect(await same('R1', null)).toBeUndefined();
    expect(await same('nope', 'T1')).toBeUndefined();
    expect(await same('a\0b', 'T1')).toBeUndefined();
  });
}

function promiseCourse(it: LedgerTest): void {
  it('an observation that says nothing new is no event', async ({ ledger }) => {
    await seeIn(ledger, 'R1');
    expect(await seeIn(ledger, 'R1', { run: 'later' })).toMatchObject({ kind: 'changed', seq: 1 });
    expect(await ledger.find('R1')).toMatchObject({ seen: { run: 'later' } });
    expect(await historyOf(ledger)).toEqual(['1 seen intended']);
  });

  it('after any course of changes by two processes nothing is wrong', async ({ open, ledger }) => {
    const ledgers = [ledger, await open()] as const;
    const random = seededRandom(7);
    const oneOf = <T>(...values: readonly [T, ...T[]]) => pick(random, values);
    const callAgain = { ...idempotentPayer, name: plainPayer.name };
    for (let turn = 0; turn < 1_000; turn += 1) {
      const rewardId = `R${Math.floor(random() * 12)}`;
      const attempt = (await ledger.find(rewardId))?.attempt ?? 0;
      const run = oneOf('one', 'two', 'three');
      const caps = [
        { scope: `run ${run}`, amount: null, count: 7 },
        { scope: `day ${oneOf(1, 2)}`, amount: 40_000_000n, count: null },
      ];
      const payer = oneOf<typeof plainPayer | typeof idempotentPayer>(plainPayer, idempotentPayer);
      const step = oneOf<Step<unknown>>(
        observe(rewardId, observation({ status: oneOf('QUEUED', 'QUEUED', 'SUCCESS') })),
        claim(claimOptions({ run, caps, capabilities: callAgain })),
        claim(claimOptions({ run, caps })),
        answered(attempt, oneOf(...answers), payer),
        resolve(attempt, oneOf<ManualOutcome>(paid, { kind: 'not-paid', reason: 'r' }), payer),
        recordReport(
          oneOf<ReportResult>({ kind: 'sent', status: 'SUCCESS' }, { kind: 'conflict', message: 'no' }),
        ),
      );
      const scopes = caps.map(({ scope }) => scope);
      await oneOf(...ledgers).change(rewardId, step, { by, scopes });
    }
    expect(await wrongIn(ledger)).toEqual([]);
    expect(await ledgers[1].lastSeq()).toBeGreaterThan(100);
  });
}

function promiseFilters(it: LedgerTest): void {
  it('entries are found by state, by the run that saw them last, and by both', async ({ ledger }) => {
    for (const id of ['R4', 'R1', 'R3']) await settleIn(ledger, id);
    await ledger.change('R3', recordReport({ kind: 'confirmed', status: 'SUCCESS' }), { by });
    await seeIn(ledger, 'R2', { run: 'second' });
    await seeIn(ledger, 'R4', { run: 'second' });
    expect(await idsIn(ledger, { payment: ['paid'] })).toEqual(['R1', 'R3', 'R4']);
    expect(await idsIn(ledger, { payment: ['paid', 'intended'], report: ['pending'] })).toEqual([
      'R1',
      'R2',
      'R4',
    ]);
    expect(await idsIn(ledger, { report: ['confirmed', 'conflict'] })).toEqual(['R3']);
    expect(await idsIn(ledger, { seenByRun: 'second' })).toEqual(['R2', 'R4']);
    expect(await idsIn(ledger, { seenByRun: 'second', payment: ['paid'] })).toEqual(['R4']);
    expect(await idsIn(ledger, { payment: [] })).toEqual([]);
    expect(await idsIn(ledger, { payment: ['unknown'] })).toEqual([]);
  });

  it('entries of several pages are found in the order of ids', async ({ ledger }) => {
    const ids = Array.from({ length: 1_203 }, (_, index) => `R${1_000 + index}`);
    for (const id of ids) await seeIn(ledger, id, { run: Number(id.slice(1)) % 2 === 0 ? 'even' : 'odd' });
    await settleIn(ledger, 'R1500');
    const open = ids.filter((id) => id !== 'R1500');
    expect(await idsIn(ledger, { payment: ['intended'] })).toEqual(open);
    expect(await idsIn(ledger, { seenByRun: 'odd' })).toEqual(open.filter((id) => Number(id.slice(1)) % 2));
  });

  it('what an owner claimed is told in the order of its first claims, each reward once', async ({
    ledger,
  }) => {
    for (const id of ['R1', 'R2', 'R3']) await seeIn(ledger, id);
    const claimAs = (owner: string, id: string) => claimIn(ledger, id, { owner });
    await claimAs('batch', 'R3');
    await claimAs('other', 'R2');
    await claimAs('batch', 'R1');
    await answerIn(ledger, 'R3', { kind: 'retry', message: 'busy' });
    await claimAs('batch', 'R3');
    expect(await idsIn(ledger, { claimedBy: 'batch' })).toEqual(['R3', 'R1']);
    await answerIn(ledger, 'R1');
    expect(await idsIn(ledger, { claimedBy: 'nobody' })).toEqual([]);
  });
}

function promiseNotes(it: LedgerTest): void {
  it('a run is put on record once, and the last of a command and its last success are told', async ({
    ledger,
  }) => {
    const begin = (run: string, command: string, atMs: number) => ledger.beginRun({ run, command, atMs });
    const command = 'rewards settle';
    await begin('A', command, nowMs);
    await begin('B', command, nowMs + 1);
    await expect(begin('B', command, nowMs + 1)).rejects.toThrow();
    expect(await ledger.lastRun(command, 'successful')).toBeUndefined();
    await ledger.noteSuccess('B', nowMs + 2);
    await ledger.noteSuccess('A', nowMs + 3);
    await begin('C', command, nowMs + 4);
    await begin('D', 'rewards listen', nowMs + 5);
    await ledger.noteSuccess('D', nowMs + 6);
    const success = { run: 'A', command, atMs: nowMs, succeededAtMs: nowMs + 3 };
    expect(await ledger.lastRun(command, 'successful')).toEqual(success);
    const last = { run: 'C', command, atMs: nowMs + 4, succeededAtMs: null };
    expect(await ledger.lastRun(command, 'any')).toEqual(last);
  });

  it('a plan is begun once, whoever begins it, and ended once; every process knows', async ({
    open,
    ledger,
  }) => {
    const other = await open();
    const start = { plan: 'plan-1', sha256: 'a', run: 'one', beganAtMs: 1 };
    const begun = { ...start, endedAtMs: null };
    expect(await other.plans.find('plan-1')).toBeUndefined();
    await expect(ledger.plans.end('plan-1', 2)).rejects.toThrow('plan plan-1 is not under way');
    const both = [ledger.plans.begin(start), other.plans.begin({ ...start, run: 'other', sha256: 'b' })];
    const [first, second] = await Promise.all(both);
    expect(first).toEqual(second);
    expect(await ledger.plans.find('plan-1')).toEqual(first);
    expect(await ledger.plans.begin({ ...start, plan: 'plan-2' })).toEqual({ ...begun, plan: 'plan-2' });
    await other.plans.end('plan-1', 2);
    expect(await ledger.plans.find('plan-1')).toEqual({ ...first, endedAtMs: 2 });
    await expect(ledger.plans.end('plan-1', 3)).rejects.toThrow('plan plan-1 is not under way');
    expect(await wrongIn(ledger)).toEqual([]);
  });

  it('accounts are kept once each, for every process', async ({ open, ledger }) => {
    const other = await open();
    expect((await ledger.meta()).accounts).toEqual([]);
    for (const account of ['b', 'a', 'b']) await ledger.addAccount(account);
    expect((await other.meta()).accounts).toEqual(['a', 'b']);
  });

  it('every process knows whose ledger it is', async ({ open, ledger: { identity } }) => {
    expect(identity).toMatchObject({ origin: 'https://api.example', shop: 'shop', createdAtMs: nowMs });
    expect((await open()).identity).toEqual(identity);
  });
}
