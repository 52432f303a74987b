import { expect, it } from 'vitest';
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

function turnsOf(entries: readonly LedgerEntry[], turns = Number.POSITIVE_INFINITY) {
  let left = turns;
  const mayContinue = () => {
    left -= 1;
    return left >= 0;
  };
  return createSettleTurns({ ledger: readLedger(entries), run: 'run' }, { beganMs, mayContinue });
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

it('the turns of a run go on with what is open: what it saw itself, then what others saw since it began or are paying', async () => {
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
  expect(await idsOf(turnsOf(entries).open())).toEqual([
    'waits',
    'failed',
    'pays',
    'paid',
    'refused and sent',
    'other waits',
    'other pays',
  ]);
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
  expect(await idsOf(turns.open())).toEqual(['paid', 'held']);
});

it('the turns of a run end with what is in doubt, by the age of its last call', async () => {
  const at = (rewardId: string, lastCallAtMs: number | null) =>
    named(rewardId, unknown, others, { lastCallAtMs });
  const entries = [
    at('new', nowMs),
    at('old', 1),
    at('none', null),
    named('open', seen),
    at('middle', nowMs - 1),
  ];
  expect(await idsOf(turnsOf(entries).inDoubt())).toEqual(['none', 'old', 'middle', 'new']);
  expect(await idsOf(turnsOf(entries, 0).inDoubt())).toHaveLength(4);
});

it('the turns of a run end when the run is stopping', async () => {
  const entries = ['1', '2', '3'].map((rewardId) => named(rewardId, seen));
  expect(await idsOf(turnsOf(entries, 2).open())).toEqual(['1', '2']);
  const seenByOthers = ['1', '2', '3'].map((rewardId) => named(rewardId, seen, others));
  expect(await idsOf(turnsOf(seenByOthers, 1).open())).toEqual(['1']);
  const decided = ['1', '2'].map((rewardId) => named(rewardId, paid));
  expect(await idsOf(turnsOf(decided, 1).decided())).toEqual(['1']);
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
