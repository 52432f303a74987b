import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import type { SettledReward } from '../../src/settle/flow/settle-reward.ts';
import { createSettleTurns, recentlyInDoubt } from '../../src/settle/flow/settle-turns.ts';
import { rewardOutcome } from '../../src/settle/flow/settlement.ts';
import type { LedgerEntry, Observation } from '../../src/store/ledger/ledger.ts';
import { hourMs, nowMs, paid, paying, plainPayer, refused, seen, unknown } from './entries.ts';
import { readLedger } from './read-ledger.ts';

function named(
  rewardId: string,
  entry: LedgerEntry,
  { run = 'run', ...shown }: Partial<Observation> = {},
  changes: Partial<LedgerEntry> = {},
): LedgerEntry {
  return { ...entry, ...changes, rewardId, seen: { ...entry.seen, run, ...shown } };
}

const beganMs = nowMs;
const others = { run: 'other' };

interface Options {
  readonly random?: () => number;
  readonly mayContinue?: () => boolean;
}

function turnsOf(
  entries: readonly LedgerEntry[],
  { mayContinue = () => true, random = seededRandom(1) }: Options = {},
) {
  const run = { ledger: readLedger(entries), run: 'run', beganMs, random };
  return createSettleTurns(run, { listed: entries.length, mayContinue });
}

async function idsOf(entries: AsyncIterable<LedgerEntry>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { rewardId } of entries) ids.push(rewardId);
  return ids;
}

it('the turns of a run begin with what is decided: what it saw itself, then what others saw and is not confirmed', async () => {
  const entries = [
    named('other pending', paid, others),
    named('other sent', refused, others, { report: 'sent' }),
    named('other conflict', paid, others, { report: 'conflict' }),
    named('other confirmed', paid, others, { report: 'confirmed' }),
    named('open', seen),
    named('confirmed', paid, {}, { report: 'confirmed' }),
    named('pending', refused),
  ];
  expect(await idsOf(turnsOf(entries).decided())).toEqual([
    'confirmed',
    'pending',
    'other pending',
    'other sent',
    'other conflict',
  ]);
});

it('the turns of a run go on with what was listed since it began, by whatever run, and end with what others have begun', async () => {
  const entries = [
    named('other waits', seen, others),
    named('other waited before', seen, { ...others, atMs: beganMs - 1 }),
    named('other failed', seen, { ...others, status: 'FAILURE' }),
    named('other pays', paying, { ...others, atMs: 0, status: '' }),
    named('other paid', paid, others),
    named('waits', seen),
    named('failed', seen, { status: 'FAILURE' }),
    named('pays', paying),
    named('unknown', unknown),
    named('paid', paid),
    named('refused and sent', refused, {}, { report: 'sent' }),
    named('confirmed', paid, {}, { report: 'confirmed' }),
    named('conflict', paid, {}, { report: 'conflict' }),
  ];
  const turns = turnsOf(entries);
  expect(await idsOf(turns.open())).toEqual(['other waits', 'waits', 'failed']);
  entries.push(named('listed meanwhile', seen, others));
  expect(await idsOf(turns.leftovers())).toEqual([
    'other pays',
    'pays',
    'listed meanwhile',
    'other paid',
    'paid',
    'refused and sent',
  ]);
});

it('a run that meets another one goes on elsewhere in its list, and comes back to the rest and to what that one had', async () => {
  const ids = Array.from({ length: 26 }, (_, index) => String.fromCharCode('a'.charCodeAt(0) + index));
  const entries = ids.map((rewardId) => named(rewardId, seen));
  const alone = turnsOf(entries);
  expect(await idsOf(alone.open())).toEqual(ids);
  expect(await idsOf(alone.leftovers())).toEqual([]);
  const turns = turnsOf(entries, { random: () => 0.5 });
  const order: string[] = [];
  for await (const { rewardId } of turns.open()) {
    order.push(rewardId);
    if (rewardId === 'c') for (const met of ['absent', rewardId]) turns.noteBusy(met);
  }
  // Of the 23 rewards after c, 11 are skipped.
  expect(order).toEqual([...ids.slice(0, 3), ...ids.slice(14), ...ids.slice(3, 14)]);
  expect(await idsOf(turns.busy())).toEqual(['c']);
  expect(await idsOf(turns.leftovers())).toEqual(['c']);
  entries[2] = named('c', unknown);
  expect(await idsOf(turns.leftovers())).toEqual([]);
});

it('the turns of a run end with one for each reward that others decide or that it reports meanwhile', async () => {
  const entries = [named('met', seen), named('pays', paying, others)];
  const turns = turnsOf(entries);
  expect(await idsOf(turns.open())).toEqual(['met']);
  turns.noteBusy('met');
  entries[0] = named('met', paid, others);
  const ids: string[] = [];
  for await (const { rewardId } of turns.leftovers()) {
    ids.push(rewardId);
    entries[1] = rewardId === 'pays' ? named('pays', paid, others) : named('pays', paying, others);
  }
  expect(ids).toEqual(['met', 'pays']);
});

it('a run that meets another one at every turn still has a turn for each of its list', async () => {
  const entries = Array.from({ length: 200 }, (_, index) => named(String(1_000 + index), seen));
  const turns = turnsOf(entries);
  const order: string[] = [];
  for await (const { rewardId } of turns.open()) {
    order.push(rewardId);
    turns.noteBusy(rewardId);
  }
  expect(order.toSorted()).toEqual(entries.map(({ rewardId }) => rewardId));
  expect(order).not.toEqual(order.toSorted());
});

it('the turns of a run are not given twice to what another process has seen again meanwhile', async () => {
  const entries = [named('1', seen), named('2', seen)];
  const open = turnsOf(entries).open();
  const ids: string[] = [];
  for await (const { rewardId } of open) {
    ids.push(rewardId);
    for (const [index, entry] of entries.entries()) entries[index] = named(entry.rewardId, entry, others);
  }
  expect(ids).toEqual(['1', '2']);
});

it('the turns of a run are not given again to what could not be reported', async () => {
  const entries = ['paid', 'sent', 'refused', 'held'].map((rewardId) => named(rewardId, paid));
  const turns = turnsOf(entries);
  const note = (rewardId: string, changes: Partial<SettledReward['outcome']>) => {
    turns.note({ outcome: { ...rewardOutcome(named(rewardId, paid)), ...changes } });
  };
  note('paid', { outcome: 'paid', report: 'confirmed' });
  note('sent', { outcome: 'paid', report: 'sent' });
  note('refused', { outcome: 'refused', report: 'sent' });
  note('held', { outcome: 'held', report: 'sent' });
  expect(await idsOf(turns.leftovers())).toEqual(['paid', 'held']);
});

it('the turns of a run end with what is in doubt, by its calls and the age of the last', async () => {
  const at = (rewardId: string, lastCallAtMs: number | null, attempt = 2) =>
    named(rewardId, unknown, others, { lastCallAtMs, attempt });
  const entries = [
    at('called often', 3, 3),
    at('called once', nowMs, 1),
    at('fourth', nowMs - 1),
    at('last', nowMs),
    at('none', null),
    named('open', seen),
    at('second', 1),
    at('third', 2),
  ];
  const order = ['called once', 'none', 'second', 'third', 'fourth', 'last', 'called often'];
  expect(await idsOf(turnsOf(entries).inDoubt())).toEqual(order);
  expect(await idsOf(turnsOf(entries, { mayContinue: () => false }).inDoubt())).toEqual(order);
});

it.each([
  ['open', seen, {}],
  ['leftovers', seen, others],
  ['leftovers', paid, others],
  ['busy', seen, others],
  ['decided', paid, {}],
] as const)('the turns of a run end when the run is stopping: %s', async (stream, entry, shown) => {
  const entries = ['1', '2', '3', '4'].map((rewardId) => named(rewardId, entry, shown));
  const ids: string[] = [];
  const mayContinue = () => ids.length < 2;
  const turns = turnsOf(entries, { mayContinue });
  if (stream === 'busy') for (const { rewardId } of entries) turns.noteBusy(rewardId);
  for await (const { rewardId } of turns[stream]()) ids.push(rewardId);
  expect(ids).toEqual(['1', '2']);
});

it('what this payer left in doubt within the hour counts against it', async () => {
  const at = (rewardId: string, lastCallAtMs: number | null, payer = plainPayer.name) =>
    named(rewardId, unknown, {}, { lastCallAtMs, payer });
  const entries = [
    at('now', nowMs),
    at('an hour ago', nowMs - hourMs),
    at('just within', nowMs - hourMs + 1),
    at('never', null),
    at('of another', nowMs, 'another'),
    named('paying', paying, {}, { lastCallAtMs: nowMs }),
  ];
  const found = await recentlyInDoubt({
    ledger: readLedger(entries),
    payer: { capabilities: plainPayer },
    clock: { now: () => nowMs },
  });
  expect([...found]).toEqual(['now', 'just within']);
});
