import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import type { PayerAnswer } from '../../src/payer/payer.ts';
import {
  answered,
  claim,
  importReward,
  observe,
  recordReport,
  recover,
  resolve,
  reverse,
} from '../../src/settle/rules/transitions.ts';
import type { Cap, Decision, EntryFilter, Ledger, LedgerEntry, Step } from '../../src/store/ledger/ledger.ts';
import { claimOptions, idempotentPayer, nowMs, observation, plainPayer } from '../settle/entries.ts';
import { all } from './all-pages.ts';
import { by, claimIn, seeIn, uncapped } from './ledger-steps.ts';

/** A ledger to be tested: each call opens it once more, as another process would. Its clock stands at `nowMs`. */
export type OpenLedger = () => Promise<Ledger>;

/** The contract of `Ledger`; `place` gives a fresh, empty one for each test. */
export function describeLedger(name: string, place: () => Promise<OpenLedger>): void {
  describe(name, () => {
    promiseChanges(place);
    promiseRaces(place);
    promiseLaw(place);
    promiseBudgets(place);
    promiseRepeats(place);
    promiseFreeze(place);
    promiseReads(place);
    promiseChecks(place);
    promiseReversals(place);
    promiseReceipts(place);
    promiseCourse(place);
    promiseFilters(place);
    promiseNotes(place);
  });
}

const paid: PayerAnswer = { kind: 'paid', ref: 'T1' };

const answerIn = (ledger: Ledger, rewardId: string, answer: PayerAnswer = paid, attempt = 1) =>
  ledger.change(rewardId, answered(attempt, answer, plainPayer), { by });

/** A call by `run` to a payer that honours keys, which counts for that run and for the one day. */
const callOf = (run: string) => ({
  run,
  caps: [{ scope: `run ${run}`, amount: null, count: null }, ...uncapped],
  capabilities: { ...idempotentPayer, name: plainPayer.name },
});

/** Claims a reward for one more call, whose process is then gone. */
async function loseCall(ledger: Ledger, rewardId: string, call: ReturnType<typeof callOf>): Promise<void> {
  await seeIn(ledger, rewardId);
  const { entry } = await claimIn(ledger, rewardId, call);
  const isOwnerAlive = false;
  const step = recover(
    entry?.attempt ?? 0,
    { kind: 'none' },
    { isOwnerAlive, capabilities: call.capabilities },
  );
  expect(await ledger.change(rewardId, step, { by })).toMatchObject({ entry: { payment: 'unknown' } });
}

async function payIn(ledger: Ledger, rewardId: string): Promise<void> {
  await seeIn(ledger, rewardId);
  await claimIn(ledger, rewardId);
  await answerIn(ledger, rewardId);
}

export async function wrongIn(ledger: Ledger, onChecked?: (events: number) => void): Promise<string[]> {
  const wrong: string[] = [];
  for await (const words of ledger.verify(onChecked)) wrong.push(words);
  return wrong;
}

const idsIn = async (ledger: Ledger, filter?: EntryFilter) =>
  (await all(ledger.entries(filter))).map(({ rewardId }) => rewardId);

const historyOf = async (ledger: Ledger, rewardId?: string) =>
  (await all(ledger.events(rewardId))).map(({ seq, kind, payment }) => `${seq} ${kind} ${payment}`);

const known = async (ledger: Ledger, rewardId: string): Promise<LedgerEntry> => {
  const entry = await ledger.find(rewardId);
  if (entry === undefined) throw new Error(`${rewardId} is not there`);
  return entry;
};

function promiseChanges(place: () => Promise<OpenLedger>): void {
  test('a change, its event and its posting are there together when it resolves, as another process sees them', async () => {
    const open = await place();
    const [ledger, other] = [await open(), await open()];
    expect(await seeIn(ledger, 'R1')).toMatchObject({ kind: 'changed', seq: 1 });
    const claimed = await claimIn(ledger, 'R1');
    expect(claimed).toMatchObject({ kind: 'changed', seq: 2 });
    expect(await other.find('R1')).toEqual(claimed.entry);
    expect(await other.budgets('')).toEqual([
      {
        scope: 'day 2026-01-01',
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

  test('an entry comes back exactly, whatever its texts and however large its amount', async () => {
    const open = await place();
    const ledger = await open();
    for (const odd of [
      '__proto__',
      ' ',
      '007',
      '1e5',
      "O'Brien",
      '상품-1',
      'e\u0301',
      '👩‍👩‍👧',
      'x'.repeat(5_000),
    ]) {
      await seeIn(ledger, odd, {
        memberOriginId: odd,
        document: JSON.stringify({ odd }),
        amount: 10n ** 15n,
      });
      const { entry } = await claimIn(ledger, odd, { caps: [{ scope: odd, amount: null, count: null }] });
      expect(await (await open()).find(odd)).toEqual(entry);
    }
    const guest = { amount: null, memberOriginId: null, status: '' };
    const { entry } = await seeIn(ledger, 'guest', guest);
    expect(await ledger.find('guest')).toEqual(entry);
    expect(entry?.seen).toMatchObject(guest);
  });

  test('what a payer said is kept, but for characters that no database keeps', async () => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    await claimIn(ledger, 'R1');
    const stepped = await answerIn(ledger, 'R1', { kind: 'paid', ref: 'a\0b\ud800' });
    expect(stepped.entry?.ref).toBe('a\ufffdb\ufffd');
    expect(await ledger.find('R1')).toEqual(stepped.entry);
  });

  test('a step that keeps an entry writes nothing and says why', async () => {
    const ledger = await (await place())();
    expect(await claimIn(ledger, 'R1')).toMatchObject({ kind: 'kept', reason: { kind: 'not-found' } });
    await seeIn(ledger, 'R1');
    const older = await seeIn(ledger, 'R1', { atMs: nowMs - 1 });
    expect(older).toMatchObject({ kind: 'kept', reason: { kind: 'older' }, entry: { rewardId: 'R1' } });
    expect(await ledger.lastSeq()).toBe(1);
  });
}

function promiseRaces(place: () => Promise<OpenLedger>): void {
  test('a step that throws writes nothing, and takes nothing from others asked at once', async () => {
    const ledger = await (await place())();
    const broken = ledger.change(
      'R2',
      () => {
        throw new Error('not this one');
      },
      { by },
    );
    const others = [seeIn(ledger, 'R1'), seeIn(ledger, 'R3')];
    await expect(broken).rejects.toThrow('not this one');
    await Promise.all(others);
    expect(await idsIn(ledger)).toEqual(['R1', 'R3']);
    expect(await historyOf(ledger)).toEqual(['1 seen intended', '2 seen intended']);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  test('of many claims of one reward asked at once, by several processes, one is had', async () => {
    const open = await place();
    const ledgers = await Promise.all(Array.from({ length: 4 }, () => open()));
    await seeIn(ledgers[0] as Ledger, 'R1');
    const claims = await Promise.all(
      ledgers.flatMap((ledger) => [claimIn(ledger, 'R1'), claimIn(ledger, 'R1')]),
    );
    expect(claims.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
    expect(await known(ledgers[1] as Ledger, 'R1')).toMatchObject({ attempt: 1, payment: 'paying' });
  });

  test('an answer to a call that is no longer the last changes nothing', async () => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    await claimIn(ledger, 'R1');
    await answerIn(ledger, 'R1', { kind: 'retry', message: 'busy' });
    await claimIn(ledger, 'R1');
    expect(await answerIn(ledger, 'R1', paid, 1)).toMatchObject({
      kind: 'kept',
      reason: { kind: 'superseded' },
    });
    expect(await answerIn(ledger, 'R1', paid, 2)).toMatchObject({
      kind: 'changed',
      entry: { payment: 'paid' },
    });
  });
}

/** A step that writes what it is given, for what no step of settlement ever writes. */
const write =
  (make: (entry: LedgerEntry) => Extract<Decision<never>, { readonly kind: 'change' }>): Step<never> =>
  ({ entry }) => {
    if (entry === undefined) throw new Error('nothing to change');
    return make(entry);
  };

const event = (kind: 'seen' | 'claimed' | 'paid' | 'sent' | 'released' | 'resolved' | 'outcome-unknown') => ({
  kind,
  detail: {},
});
const spend = { kind: 'spend' } as const;

/** Changes of a reward that is `paying`, none of which may be written. */
const invalid: readonly (readonly [string, Step<never>])[] = [
  ['a state without an event', write((entry) => ({ kind: 'change', entry: { ...entry, payment: 'paid' } }))],
  [
    'a payment that spends nothing',
    write((entry) => ({
      kind: 'change',
      entry: { ...entry, payment: 'paid', call: null },
      event: event('paid'),
    })),
  ],
  [
    'a second claim of a call under way',
    write((entry) => ({ kind: 'change', entry: { ...entry, attempt: 2 }, event: event('claimed') })),
  ],
  [
    'an attempt without a claim',
    write((entry) => ({
      kind: 'change',
      entry: { ...entry, payment: 'paid', call: null, attempt: 2 },
      event: event('paid'),
      posting: spend,
    })),
  ],
  [
    'another amount under the same key',
    write((entry) => ({
      kind: 'change',
      entry: {
        ...entry,
        payment: 'paid',
        call: null,
        terms: entry.terms && { ...entry.terms, amount: entry.terms.amount + 1n },
      },
      event: event('paid'),
      posting: spend,
    })),
  ],
  [
    'a payment that still has a call',
    write((entry) => ({
      kind: 'change',
      entry: { ...entry, payment: 'paid' },
      event: event('paid'),
      posting: spend,
    })),
  ],
  [
    'a lost call that is not in doubt',
    write((entry) => ({
      kind: 'change',
      entry: { ...entry, payment: 'unknown', call: null },
      event: event('outcome-unknown'),
    })),
  ],
  [
    'telling what is not decided',
    write((entry) => ({ kind: 'change', entry: { ...entry, report: 'sent' }, event: event('sent') })),
  ],
  [
    'an observation that moves money',
    write((entry) => ({
      kind: 'change',
      entry: { ...entry, payment: 'intended', call: null },
      event: event('seen'),
    })),
  ],
  [
    'a new key generation that keeps its terms',
    write((entry) => ({
      kind: 'change',
      entry: { ...entry, payment: 'intended', call: null, keyGeneration: 1, scopes: [] },
      event: event('released'),
      posting: { kind: 'release' },
    })),
  ],
  [
    'two gens at once',
    write((entry) => ({
      kind: 'change',
      entry: { ...entry, payment: 'intended', call: null, keyGeneration: 2, terms: null, scopes: [] },
      event: event('resolved'),
      posting: { kind: 'release' },
    })),
  ],
  [
    'the entry of another reward',
    write((entry) => ({ kind: 'change', entry: { ...entry, rewardId: 'R2' } })),
  ],
];

function promiseLaw(place: () => Promise<OpenLedger>): void {
  test.each(invalid)('refuses as a bug: %s', async (_what, step) => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    const { entry } = await claimIn(ledger, 'R1');
    await expect(ledger.change('R1', step, { by })).rejects.toThrow('invalid change of reward R1');
    expect(await ledger.find('R1')).toEqual(entry);
    expect(await ledger.lastSeq()).toBe(2);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  test('a paid reward stays paid, whoever asks', async () => {
    const ledger = await (await place())();
    await payIn(ledger, 'R1');
    for (const kind of ['claimed', 'paid', 'released', 'outcome-unknown'] as const) {
      const again = write((entry) => ({
        kind: 'change',
        entry: { ...entry, payment: 'intended' },
        event: event(kind),
      }));
      await expect(ledger.change('R1', again, { by })).rejects.toThrow(
        `'${kind}' leads from paid to intended`,
      );
    }
  });

  test('names that a database would not give back are refused before they can name another reward', async () => {
    const ledger = await (await place())();
    for (const odd of ['R\0two', 'half \ud800']) {
      await expect(seeIn(ledger, odd)).rejects.toThrow('cannot be stored');
      await expect(seeIn(ledger, 'R1', { memberOriginId: odd })).rejects.toThrow('cannot be stored');
    }
    expect(await idsIn(ledger)).toEqual([]);
  });

  test('a change that cannot be written harms none that shares its transaction, and leaves nothing', async () => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    const options = claimOptions({ caps: uncapped });
    const unwritable = ledger.change(
      'R1',
      (facts) => {
        const decision = claim(options)(facts);
        if (decision.kind !== 'change' || decision.event === undefined) return decision;
        return { ...decision, event: { ...decision.event, detail: { amount: 1n } as never } };
      },
      { by, scopes: uncapped.map(({ scope }) => scope) },
    );
    const [first, second] = await Promise.allSettled([unwritable, seeIn(ledger, 'R2')]);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
    expect(second).toMatchObject({ status: 'fulfilled', value: { kind: 'changed' } });
    expect(await ledger.find('R1')).toMatchObject({ payment: 'intended' });
    expect(await ledger.budgets('')).toEqual([]);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  test('a budget that was not asked for is a mistake, in what is read and in what is reserved', async () => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    const options = claimOptions({ caps: uncapped });
    await expect(ledger.change('R1', claim(options), { by, scopes: [] })).rejects.toThrow(
      'was not asked for',
    );
  });
}

function promiseBudgets(place: () => Promise<OpenLedger>): void {
  test('caps of amount and of count are hit exactly by claims of several processes at once', async () => {
    const open = await place();
    const ledgers = await Promise.all(Array.from({ length: 4 }, () => open()));
    const caps: readonly Cap[] = [
      { scope: 'day', amount: 35_000_000n, count: null },
      { scope: 'run', amount: null, count: 9 },
    ];
    const ids = Array.from({ length: 40 }, (_, index) => `R${index}`);
    await Promise.all(ids.map((id) => seeIn(ledgers[0] as Ledger, id)));
    const claims = await Promise.all(
      ids.map((id, index) => claimIn(ledgers[index % 4] as Ledger, id, { caps })),
    );
    expect(claims.filter(({ kind }) => kind === 'changed')).toHaveLength(7);
    const raised: readonly Cap[] = [{ scope: 'day', amount: 100_000_000n, count: null }, caps[1] as Cap];
    const more = await Promise.all(
      ids.map((id, index) => claimIn(ledgers[index % 4] as Ledger, id, { caps: raised })),
    );
    expect(more.filter(({ kind }) => kind === 'changed')).toHaveLength(2);
    expect(await (ledgers[3] as Ledger).budgets('')).toMatchObject([
      { scope: 'day', reservedAmount: 45_000_000n, reservedCount: 9 },
      { scope: 'run', reservedAmount: 45_000_000n, reservedCount: 9 },
    ]);
    expect(await wrongIn(ledgers[0] as Ledger)).toEqual([]);
  });

  test('a reservation beyond its cap is refused as a bug, even where the step saw no cap', async () => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    const tight: readonly Cap[] = [{ scope: 'day', amount: 4_999_999n, count: null }];
    const loose = claim(claimOptions({ caps: [{ scope: 'day', amount: null, count: null }] }));
    const sly: typeof loose = (facts) => {
      const decision = loose(facts);
      return decision.kind === 'no-change'
        ? decision
        : { ...decision, posting: { kind: 'reserve', caps: tight } };
    };
    await expect(ledger.change('R1', sly, { by, scopes: ['day'] })).rejects.toThrow('breaks the cap of day');
    expect(await ledger.budgets('')).toEqual([]);
    expect((await known(ledger, 'R1')).payment).toBe('intended');
  });

  test('what is paid is spent, what is refused or sent back is free again, what is unknown stays reserved', async () => {
    const ledger = await (await place())();
    const answers: readonly PayerAnswer[] = [
      paid,
      { kind: 'refused' },
      { kind: 'retry', message: 'busy' },
      { kind: 'ambiguous', message: 'time-out' },
    ];
    for (const [index, answer] of answers.entries()) {
      await seeIn(ledger, `R${index}`);
      await claimIn(ledger, `R${index}`);
      await answerIn(ledger, `R${index}`, answer);
    }
    const budget = { scope: 'day 2026-01-01', reservedAmount: 5_000_000n, reservedCount: 1 };
    expect(await ledger.budgets('day')).toEqual([{ ...budget, spentAmount: 5_000_000n, spentCount: 1 }]);
    const again = { caps: uncapped, capabilities: { ...idempotentPayer, name: plainPayer.name } };
    expect(await claimIn(ledger, 'R3', again)).toMatchObject({ kind: 'changed', entry: { attempt: 2 } });
    expect(await ledger.budgets('day')).toMatchObject([budget]);
    expect(await wrongIn(ledger)).toEqual([]);
  });

  test('budgets are found by how their scope begins, letter by letter', async () => {
    const ledger = await (await place())();
    const scopes = ['day 1', 'day_2', 'DAY 1', '일 1'];
    await seeIn(ledger, 'R1');
    await claimIn(ledger, 'R1', { caps: scopes.map((scope) => ({ scope, amount: null, count: null })) });
    const found = async (prefix: string) => (await ledger.budgets(prefix)).map(({ scope }) => scope);
    expect(await found('day ')).toEqual(['day 1']);
    expect(await found('day_')).toEqual(['day_2']);
    expect(await found('일')).toEqual(['일 1']);
    expect(await found('')).toHaveLength(4);
  });
}

function promiseRepeats(place: () => Promise<OpenLedger>): void {
  test('the cap of a run is hit exactly by calls it repeats, asked for by several processes at once', async () => {
    const open = await place();
    const ledgers = await Promise.all(Array.from({ length: 4 }, () => open()));
    const ids = Array.from({ length: 12 }, (_, index) => `R${index}`);
    for (const id of ids) await loseCall(ledgers[0] as Ledger, id, callOf('one'));
    const caps = [{ scope: 'run two', amount: null, count: 5 }, ...uncapped];
    const claims = await Promise.all(
      ids.flatMap((id) =>
        ledgers.slice(0, 2).map((ledger) => claimIn(ledger, id, { ...callOf('two'), caps })),
      ),
    );
    expect(claims.filter(({ kind }) => kind === 'changed')).toHaveLength(5);
    expect(await (ledgers[3] as Ledger).budgets('')).toMatchObject([
      { scope: 'day 2026-01-01', reservedAmount: 60_000_000n, reservedCount: 12 },
      { scope: 'run one', reservedAmount: 60_000_000n, reservedCount: 12 },
      { scope: 'run two', reservedAmount: 25_000_000n, reservedCount: 5 },
    ]);
    expect(await wrongIn(ledgers[0] as Ledger)).toEqual([]);
  });

  test('a call repeated by three runs counts once in each of them and once in all on its day, lost, sent back or paid', async () => {
    const ledger = await (await place())();
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

function promiseFreeze(place: () => Promise<OpenLedger>): void {
  test('once frozen no process claims, and what is under way still comes to its end', async () => {
    const open = await place();
    const [ledger, other] = [await open(), await open()];
    await seeIn(other, 'R1');
    await seeIn(other, 'R2');
    await claimIn(other, 'R1');
    expect(await other.frozen()).toBeUndefined();
    await ledger.freeze('the payer is being moved');
    expect(await other.frozen()).toBe('the payer is being moved');
    expect(await claimIn(other, 'R2')).toMatchObject({ kind: 'kept', reason: { kind: 'frozen' } });
    expect(await answerIn(other, 'R1')).toMatchObject({ kind: 'changed' });
    await ledger.unfreeze();
    expect(await claimIn(other, 'R2')).toMatchObject({ kind: 'changed' });
  });

  test('a claim that pays no heed to the freeze is refused as a bug', async () => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    await ledger.freeze('stop');
    const heedless = claim(claimOptions({ caps: uncapped }));
    const step: typeof heedless = (facts) => heedless({ ...facts, frozen: undefined });
    await expect(
      ledger.change('R1', step, { by, scopes: uncapped.map(({ scope }) => scope) }),
    ).rejects.toThrow('while the ledger is frozen');
  });
}

function promiseReads(place: () => Promise<OpenLedger>): void {
  test('pages show each reward once, in the order of ids, while rewards change and come behind the page', async () => {
    const ledger = await (await place())();
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

  test('the history is told in order, of one reward and of all, without a gap', async () => {
    const ledger = await (await place())();
    await payIn(ledger, 'R1');
    await seeIn(ledger, 'R2');
    await ledger.change('R1', recordReport({ kind: 'sent', status: 'SUCCESS' }), { by });
    expect(await historyOf(ledger, 'R1')).toEqual([
      '1 seen intended',
      '2 claimed paying',
      '3 paid paid',
      '5 sent paid',
    ]);
    expect(await historyOf(ledger, 'R2')).toEqual(['4 seen intended']);
    expect(await historyOf(ledger)).toHaveLength(5);
    await Promise.all(Array.from({ length: 1_100 }, (_, index) => seeIn(ledger, `S${index}`)));
    const seqs = (await all(ledger.events())).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 1_105 }, (_, index) => index + 1));
    expect(await ledger.lastSeq()).toBe(1_105);
  });

  test('sums are exact beyond what 64 bits hold, by terms, else by what was seen', async () => {
    const ledger = await (await place())();
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

function promiseChecks(place: () => Promise<OpenLedger>): void {
  test('a check tells how far it is, and ends where it is told to', async () => {
    const ledger = await (await place())();
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => seeIn(ledger, `R${index}`)));
    const checked: number[] = [];
    expect(await wrongIn(ledger, (events) => checked.push(events))).toEqual([]);
    expect(checked.length).toBeGreaterThan(1);
    expect(checked.at(-1)).toBe(1_200);
    // Timers and signals have their turn between the pages.
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
    expect(await wrongIn(ledger)).toEqual([]);
  });
}

function promiseReversals(place: () => Promise<OpenLedger>): void {
  test('what the payer took back is told in order, changes no state and no budget, and is intact', async () => {
    const ledger = await (await place())();
    for (const rewardId of ['R1', 'R2', 'R3']) await payIn(ledger, rewardId);
    const spent = await ledger.budgets('');
    for (const rewardId of ['R3', 'R1']) {
      const step = reverse(await known(ledger, rewardId), { kind: 'reversed', ref: `back ${rewardId}` });
      expect(await ledger.change(rewardId, step, { by })).toMatchObject({
        entry: { payment: 'paid', ref: 'T1' },
      });
    }
    const reversed = await all(ledger.reversals());
    expect(reversed.map(({ rewardId, kind, detail }) => ({ rewardId, kind, detail }))).toEqual([
      { rewardId: 'R3', kind: 'reversed', detail: { ref: 'back R3', amount: '500' } },
      { rewardId: 'R1', kind: 'reversed', detail: { ref: 'back R1', amount: '500' } },
    ]);
    expect(await ledger.budgets('')).toEqual(spent);
    expect(await wrongIn(ledger)).toEqual([]);
  });
}

function promiseReceipts(place: () => Promise<OpenLedger>): void {
  test('of payments with one receipt, each later one by the payer is known by an earlier one', async () => {
    const ledger = await (await place())();
    const same = (rewardId: string, ref: string | null) => ledger.findSameReceipt({ rewardId, ref });
    // Not in the order of their ids.
    for (const rewardId of ['R3', 'R1', 'R2']) await payIn(ledger, rewardId);
    expect(await Promise.all(['R3', 'R1', 'R2'].map((rewardId) => same(rewardId, 'T1')))).toEqual([
      undefined,
      'R3',
      expect.stringMatching(/^R[13]$/),
    ]);
    // Receipts of any length, which no index holds, are told apart.
    const long = Array.from({ length: 40 }, (_, index) => `${index}-${Math.sin(index)}`)
      .join()
      .repeat(6);
    for (const [rewardId, ref] of [
      ['L1', `${long}1`],
      ['L2', `${long}2`],
      ['L3', `${long}1`],
    ] as const) {
      await seeIn(ledger, rewardId);
      await claimIn(ledger, rewardId);
      await answerIn(ledger, rewardId, { kind: 'paid', ref });
      expect(await same(rewardId, ref)).toBe(rewardId === 'L3' ? 'L1' : undefined);
    }
    await seeIn(ledger, 'R4');
    await ledger.change('R4', resolve(0, { kind: 'paid', ref: 'T1' }, plainPayer), { by });
    expect(await same('R4', 'T1')).toBeUndefined();
    expect(await same('R1', 'T2')).toBeUndefined();
    expect(await same('R1', null)).toBeUndefined();
    expect(await same('nope', 'T1')).toBeUndefined();
    expect(await same('a\0b', 'T1')).toBeUndefined();
  });
}

function promiseCourse(place: () => Promise<OpenLedger>): void {
  test('an observation that says nothing new is no event', async () => {
    const ledger = await (await place())();
    await seeIn(ledger, 'R1');
    expect(await seeIn(ledger, 'R1', { run: 'later' })).toMatchObject({ kind: 'changed', seq: 1 });
    expect((await known(ledger, 'R1')).seen.run).toBe('later');
    expect(await historyOf(ledger)).toEqual(['1 seen intended']);
  });

  test('after any course of changes by two processes nothing is wrong', async () => {
    const open = await place();
    const ledgers = [await open(), await open()];
    const random = seededRandom(7);
    const oneOf = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
    const answers: readonly PayerAnswer[] = [
      paid,
      { kind: 'refused' },
      { kind: 'retry', message: 'busy' },
      { kind: 'ambiguous', message: 'time-out' },
    ];
    for (let turn = 0; turn < 1_000; turn += 1) {
      const rewardId = `R${Math.floor(random() * 12)}`;
      const ledger = oneOf(ledgers);
      const attempt = (await ledger.find(rewardId))?.attempt ?? 0;
      const run = oneOf(['one', 'two', 'three']);
      const caps = [
        { scope: `run ${run}`, amount: null, count: 7 },
        { scope: `day ${oneOf([1, 2])}`, amount: 40_000_000n, count: null },
      ];
      const scopes = caps.map(({ scope }) => scope);
      const step = oneOf<Step<unknown>>([
        observe(rewardId, observation({ status: oneOf(['QUEUED', 'QUEUED', 'SUCCESS']) })),
        claim(claimOptions({ run, caps, capabilities: { ...idempotentPayer, name: plainPayer.name } })),
        claim(claimOptions({ run, caps })),
        answered(attempt, oneOf(answers), oneOf([plainPayer, idempotentPayer])),
        resolve(
          attempt,
          oneOf([
            { kind: 'paid', ref: 'T' },
            { kind: 'not-paid', reason: 'r' },
          ]),
          oneOf([plainPayer, idempotentPayer]),
        ),
        recordReport(
          oneOf([
            { kind: 'sent', status: 'SUCCESS' },
            { kind: 'conflict', message: 'no' },
          ]),
        ),
      ]);
      await ledger.change(rewardId, step, { by, scopes });
    }
    expect(await wrongIn(ledgers[0] as Ledger)).toEqual([]);
    expect(await (ledgers[1] as Ledger).lastSeq()).toBeGreaterThan(100);
  });
}

function promiseFilters(place: () => Promise<OpenLedger>): void {
  test('entries are found by state, by the run that saw them last, and by both', async () => {
    const ledger = await (await place())();
    for (const id of ['R4', 'R1', 'R3']) await payIn(ledger, id);
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

  test('entries are found by a range of ids, the last of which is in it and the first is not', async () => {
    const ledger = await (await place())();
    const ids = Array.from({ length: 1_203 }, (_, index) => `R${1_000 + index}`);
    for (const id of ids) await seeIn(ledger, id, { run: Number(id.slice(1)) % 2 === 0 ? 'even' : 'odd' });
    await payIn(ledger, 'R1500');
    expect(await idsIn(ledger, { after: 'R1000', upTo: 'R1003' })).toEqual(['R1001', 'R1002', 'R1003']);
    expect(await idsIn(ledger, { upTo: 'R1001' })).toEqual(['R1000', 'R1001']);
    expect(await idsIn(ledger, { after: 'R2200' })).toEqual(['R2201', 'R2202']);
    expect(await idsIn(ledger, { after: 'R1003', upTo: 'R1003' })).toEqual([]);
    expect(await idsIn(ledger, { after: 'R1100' })).toEqual(ids.slice(101));
    const within = { after: 'R1498', upTo: 'R1502' };
    expect(await idsIn(ledger, { ...within, payment: ['intended'] })).toEqual(['R1499', 'R1501', 'R1502']);
    expect(await idsIn(ledger, { ...within, seenByRun: 'odd' })).toEqual(['R1499', 'R1501']);
  });

  test('what an owner claimed is told in the order of its first claims, each reward once', async () => {
    const ledger = await (await place())();
    for (const id of ['R1', 'R2', 'R3']) await seeIn(ledger, id);
    const claimAs = (owner: string, id: string) => claimIn(ledger, id, { caps: uncapped, owner });
    await claimAs('batch', 'R3');
    await claimAs('other', 'R2');
    await claimAs('batch', 'R1');
    await answerIn(ledger, 'R3', { kind: 'retry', message: 'busy' });
    await claimAs('batch', 'R3');
    expect(await idsIn(ledger, { claimedBy: 'batch' })).toEqual(['R3', 'R1']);
    await answerIn(ledger, 'R1');
    expect(await idsIn(ledger, { claimedBy: 'batch', payment: ['paying'] })).toEqual(['R3']);
    expect(await idsIn(ledger, { claimedBy: 'nobody' })).toEqual([]);
  });
}

function promiseNotes(place: () => Promise<OpenLedger>): void {
  test('a run is put on record once, and the newest are told first', async () => {
    const ledger = await (await place())();
    const start = { run: 'A', command: 'rewards settle', atMs: nowMs };
    await ledger.beginRun(start);
    await expect(ledger.beginRun(start)).rejects.toThrow();
    const later = { run: 'B', command: 'rewards listen', atMs: nowMs + 1 };
    await ledger.beginRun(later);
    const begun = [later, start].map((run) => ({ ...run, succeededAtMs: null }));
    expect(await ledger.runs(5)).toEqual(begun);
    expect(await ledger.runs(1)).toEqual(begun.slice(0, 1));
  });

  test('the last success of a command is known, whatever began or failed after it', async () => {
    const ledger = await (await place())();
    const begin = (run: string, command: string, atMs: number) => ledger.beginRun({ run, command, atMs });
    expect(await ledger.lastSuccess('rewards settle')).toBeUndefined();
    await begin('A', 'rewards settle', nowMs);
    await begin('B', 'rewards settle', nowMs + 1);
    expect(await ledger.lastSuccess('rewards settle')).toBeUndefined();
    await ledger.noteSuccess('B', nowMs + 2);
    await ledger.noteSuccess('A', nowMs + 3);
    await begin('C', 'rewards settle', nowMs + 4);
    await begin('D', 'rewards listen', nowMs + 5);
    await ledger.noteSuccess('D', nowMs + 6);
    const success = { run: 'A', command: 'rewards settle', atMs: nowMs, succeededAtMs: nowMs + 3 };
    expect(await ledger.lastSuccess('rewards settle')).toEqual(success);
  });

  test('a plan is begun once, whoever begins it, and ended once; every process knows', async () => {
    const open = await place();
    const [one, other] = [await open(), await open()];
    const start = { plan: 'plan-1', sha256: 'a', run: 'one', beganAtMs: 1 };
    const begun = { ...start, endedAtMs: null };
    expect(await other.plans.find('plan-1')).toBeUndefined();
    await expect(one.plans.end('plan-1', 2)).rejects.toThrow('plan plan-1 is not under way');
    const both = [one.plans.begin(start), other.plans.begin({ ...start, run: 'other', sha256: 'b' })];
    const [first, second] = await Promise.all(both);
    expect(first).toEqual(second);
    expect(await one.plans.find('plan-1')).toEqual(first);
    expect(await one.plans.begin({ ...start, plan: 'plan-2' })).toEqual({ ...begun, plan: 'plan-2' });
    await other.plans.end('plan-1', 2);
    expect(await one.plans.find('plan-1')).toEqual({ ...first, endedAtMs: 2 });
    await expect(one.plans.end('plan-1', 3)).rejects.toThrow('plan plan-1 is not under way');
    expect(await wrongIn(one)).toEqual([]);
  });

  test('accounts are kept once each, for every process', async () => {
    const open = await place();
    const [ledger, other] = [await open(), await open()];
    expect(await ledger.accounts()).toEqual([]);
    for (const account of ['b', 'a', 'b']) await ledger.addAccount(account);
    expect(await other.accounts()).toEqual(['a', 'b']);
  });

  test('every process knows whose ledger it is', async () => {
    const open = await place();
    const { identity } = await open();
    expect(identity).toMatchObject({ origin: 'https://api.example', shop: 'shop', createdAtMs: nowMs });
    expect((await open()).identity).toEqual(identity);
  });
}
