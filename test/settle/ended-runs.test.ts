import { expect, it } from 'vitest';
import type { Transport } from '../../src/contract/wire.ts';
import type { Payer } from '../../src/payer/payer.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { gatedPayer } from './gated-payer.ts';
import { counter } from './open-receiver.ts';
import { openMembers, type WorldOptions, words } from './open-settlement.ts';
import { losesAnswer, pays, scriptedPayer } from './scripted-payer.ts';

/** However a run ends, it has one result for each reward that it touched. */

/** A service that refuses reports with 401 until `mend` is called. */
function refusing() {
  const place = { isMended: false };
  const around =
    (transport: Transport): Transport =>
    async (request, signal) =>
      request.method === 'PATCH' && !place.isMended
        ? { status: 401, headers: {}, body: '{}' }
        : transport(request, signal);
  return { around, mend: () => (place.isMended = true) };
}

const openWorld = (options: WorldOptions = {}) => openMembers({ reviews: 20, ...options });

const idsOf = (settled: readonly { readonly outcome: { readonly rewardId: string } }[]) =>
  settled.map(({ outcome }) => outcome.rewardId);

it('all that was paid is among the results of a run that a report ends', async () => {
  const service = refusing();
  const { settle } = await openWorld(service);
  const payer = scriptedPayer({});
  const { settled, error } = await settle(payer, { concurrency: 8 });
  expect(error).toMatchObject({ kind: 'not-authenticated' });
  expect(payer.calls.length).toBeGreaterThan(1);
  expect(idsOf(settled).toSorted()).toEqual([...payer.effects.keys()].toSorted());
  for (const { outcome, trouble } of settled) {
    expect(outcome).toMatchObject({ outcome: 'paid', report: 'pending' });
    expect(trouble).toMatchObject({ kind: 'not-authenticated' });
  }
  service.mend();
  const later = await settle(payer);
  expect(later.error).toBeUndefined();
  const paidBefore = later.settled.filter(({ isEarlier }) => isEarlier);
  expect(idsOf(paidBefore).toSorted()).toEqual(idsOf(settled).toSorted());
  expect(paidBefore.every(({ outcome }) => outcome.report === 'confirmed')).toBe(true);
});

it('a run that only reports what was paid before ends at the first report that is not accepted, and begins no payment', async () => {
  const service = refusing();
  const { settle } = await openWorld(service);
  await settle(scriptedPayer({}), { concurrency: 1 });
  const payer = scriptedPayer({});
  const wrongCount = { total: null, count: 1_000 };
  const { settled, error } = await settle(payer, { concurrency: 1, expectation: wrongCount });
  expect(error).toMatchObject({ kind: 'not-authenticated' });
  expect(settled).toMatchObject([{ isEarlier: true, outcome: { outcome: 'paid', report: 'pending' } }]);
  expect(payer.calls).toEqual([]);
});

it('what is unknown is among the results of a run that a report ends', async () => {
  const service = refusing();
  const { settle } = await openWorld(service);
  const payer = scriptedPayer({ script: (_, call) => (call === 1 ? losesAnswer : pays) });
  const { outcomes, error } = await settle(payer, { concurrency: 8 });
  expect(error).toMatchObject({ kind: 'not-authenticated' });
  expect(words(outcomes)).toEqual({ paid: payer.calls.length - 1, unknown: 1 });
});

it('what a ledger that fails has on record as paid is among the results of the run', async () => {
  const { settle, ledger } = await openWorld();
  const full = new Error('the disk is full');
  let isFull = false;
  const change: Ledger['change'] = async (...args) => {
    if (isFull) throw full;
    const stepped = await ledger.change(...args);
    if (stepped.kind === 'changed' && stepped.entry.payment === 'paid') isFull = true;
    return stepped;
  };
  const { outcomes, error } = await settle(scriptedPayer({}), { ledger: { ...ledger, change } });
  expect(error).toBe(full);
  expect(words(outcomes)).toEqual({ paid: 1 });
});

it('what a ledger that fails has on record as unknown is among the results of the run', async () => {
  const { settle, ledger } = await openWorld({ reviews: 3 });
  await settle(scriptedPayer({ script: (_, call) => (call === 1 ? losesAnswer : pays) }));
  const full = new Error('the disk is full');
  const find = async () => Promise.reject(full);
  const { outcomes, error } = await settle(scriptedPayer({}), { ledger: { ...ledger, find } });
  expect(error).toBe(full);
  expect(words(outcomes)).toEqual({ unknown: 1 });
});

it('a reward that a killed run left to its payer has one result in the run that finds the call lost', async () => {
  const { settle } = await openWorld();
  const killed = gatedPayer();
  const first = settle(killed.payer, { concurrency: 1 });
  await killed.begun.reached(1);
  let looks = 0;
  const payer: Payer = {
    ...scriptedPayer({}),
    // The payer program of the killed run is still running when this run begins.
    recoveredOutcome: async () => {
      looks += 1;
      return looks === 1 ? { kind: 'running', message: 'its program is still running' } : { kind: 'none' };
    },
  };
  const { settled, error } = await settle(payer);
  expect(error).toBeUndefined();
  expect(words(settled.map(({ outcome }) => outcome))).toMatchObject({ unknown: 1 });
  expect(new Set(idsOf(settled)).size).toBe(settled.length);
  killed.gate.open();
  await first;
});

it('unknown outcomes between which others are paid at the same time end no run', async () => {
  const { settle } = await openWorld();
  const failed = counter();
  const payer = scriptedPayer({
    script: async (_, call) => {
      if (call === 1 || call > 9) return pays;
      if (call % 2 === 0) {
        failed.add();
        return losesAnswer;
      }
      await failed.reached(4);
      return pays;
    },
  });
  const { outcomes, error } = await settle(payer, { concurrency: 8 });
  expect(error).toBeUndefined();
  expect(words(outcomes)).toEqual({ paid: payer.calls.length - 4, unknown: 4 });
});
