import { expect, it } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import type { Payment } from '../../src/payer/payer.ts';
import type { Result } from '../../src/payer/read-results.ts';
import { recordedPayer, resultsFilePayer } from '../../src/payer/recorded-payer.ts';
import { exportRewards } from '../../src/settle/manual/export-rewards.ts';
import { findHandedOver, importResults } from '../../src/settle/manual/import-results.ts';
import { resolveReward } from '../../src/settle/manual/resolve-reward.ts';
import { paid } from './entries.ts';
import { openPolicy } from './open-policy.ts';
import { openMembers } from './open-settlement.ts';
import { readLedger } from './read-ledger.ts';

const person = recordedPayer(
  { name: resultsFilePayer, idempotentForMs: null, replaysResponse: true, lookupDelayMs: 0 },
  'no-folder',
);

async function open(reviews = 3) {
  const world = await openMembers({ reviews });
  const files: Payment[][] = [];
  const write = async (pages: AsyncIterable<readonly Payment[]>) => {
    const payments: Payment[] = [];
    for await (const page of pages) payments.push(...page);
    files.push(payments);
  };
  const exported = async (batch = 'batch', overrides = {}) => {
    const results = [];
    const settlement = world.settlement(person, overrides);
    for await (const { outcome } of exportRewards(settlement, { batch, write })) results.push(outcome);
    return results;
  };
  const imported = async (results: readonly Result[], overrides = {}) => {
    const found = await findHandedOver(world.ledger, new Set(results.map(({ key }) => key)));
    const all = [];
    for await (const settled of importResults(world.settlement(person, overrides), results, found))
      all.push(settled);
    return all.toSorted((a, b) => a.outcome.rewardId.localeCompare(b.outcome.rewardId));
  };
  return { ...world, files, exported, imported };
}

const done = (key: string, outcome: Result['outcome'], ref?: string, message?: string) => ({
  key,
  outcome,
  ref,
  message,
});

it('a batch claims nothing of what does not wait any more, or may not be paid', async () => {
  const { exported, files, rewardIds, put } = await open();
  const [first = '', second = '', third = ''] = rewardIds;
  put({ status: 'SUCCESS' }, [first]);
  put({ amount: 900 }, [second]);
  const results = await exported('batch', { policy: { ...openPolicy, maxPerReward: 5_000_000n } });
  expect(results.map(({ rewardId, outcome }) => [rewardId, outcome])).toEqual([
    [second, 'held'],
    [third, 'waiting'],
  ]);
  expect(files[0]?.map(({ rewardId }) => rewardId)).toEqual([third]);
});

it('a batch that two machines write at once names each reward once', async () => {
  const { exported, rewardIds } = await open();
  for (const results of await Promise.all([exported(), exported()]))
    expect(results.map(({ rewardId }) => rewardId).toSorted()).toEqual(rewardIds.toSorted());
});

it('a run that is stopping claims nothing for a batch', async () => {
  const { exported, files } = await open();
  expect(await exported('batch', { stopping: AbortSignal.abort() })).toEqual([]);
  expect(files).toEqual([]);
});

it('an import that is stopped has recorded all results, and the next one reports them', async () => {
  const { exported, imported, files, ledger } = await open();
  await exported();
  const results = (files[0] ?? []).map(({ key }) => done(key, 'paid'));
  expect(await imported(results, { stopping: AbortSignal.abort() })).toEqual([]);
  for await (const page of ledger.entries()) {
    expect(page.map(({ payment, report }) => `${payment} ${report}`)).toEqual(
      results.map(() => 'paid pending'),
    );
  }
  const later = await imported(results);
  expect(later).toHaveLength(results.length);
  for (const one of later) expect(one).toMatchObject({ isEarlier: true, outcome: { report: 'confirmed' } });
});

it('a result is not lost silently if another process recorded another one since the file was checked', async () => {
  const { exported, imported, files } = await open(1);
  await exported();
  const { key, rewardId } = files[0]?.[0] ?? { key: '', rewardId: '' };
  await imported([done(key, 'refused')]);
  await expect(imported([done(key, 'paid')])).rejects.toMatchObject({
    kind: 'refused',
    message: `since the file was checked, another process recorded another outcome of reward ${rewardId}`,
    hint: `ask the payer which one is true; what is recorded: reviewctl ledger show ${rewardId}`,
  });
});

it('an import reports what a person resolved, which no run does where a person pays', async () => {
  const { exported, imported, files, ledger, settlement } = await open();
  await exported();
  const [first, second] = files[0] ?? [];
  const entry = await ledger.find(first?.rewardId ?? '');
  if (entry === undefined) throw new Error('the reward is not in the ledger');
  await resolveReward(settlement(person), entry, { kind: 'paid', ref: 'by hand' });
  const reported = await imported([done(second?.key ?? '', 'paid')]);
  expect(reported.map(({ outcome }) => outcome.report)).toEqual(['confirmed', 'confirmed']);
});

it('only what a results file handed over can be imported', async () => {
  const { ledger } = await open();
  const byProgram = { ...ledger, ...readLedger([paid]) };
  expect(await findHandedOver(byProgram, new Set([paid.terms?.key ?? '']))).toEqual(new Map());
});

it('the file of a batch is not written again once a reward of it was resolved', async () => {
  const { exported, files, ledger, settlement } = await open();
  await exported();
  const [first] = files[0] ?? [];
  const entry = await ledger.find(first?.rewardId ?? '');
  if (entry === undefined) throw new Error('the reward is not in the ledger');
  const found = await resolveReward(settlement(person), entry, { kind: 'not-paid', reason: 'no' });
  expect(found).toMatchObject({
    kind: 'resolved',
    next: 'the next settlement pays it',
  });
  const failure = await exported().catch((error: Failure) => error);
  expect(failure).toMatchObject({
    kind: 'refused',
    message: `the file of batch cannot be written again: reward ${entry.rewardId} was resolved since, and no longer belongs to it`,
    hint:
      'use the earlier file without that reward; waiting rewards go into a new batch: ' +
      'reviewctl rewards export FILE',
  });
  expect(files).toHaveLength(1);
});

it('the file of a batch is written again after some of it was imported', async () => {
  const { exported, imported, files } = await open();
  await exported();
  const [first] = files[0] ?? [];
  await imported([done(first?.key ?? '', 'paid')]);
  const again = await exported();
  expect(files[1]).toEqual(files[0]);
  expect(again[0]).toMatchObject({ outcome: 'paid' });
  expect(again[0]).not.toHaveProperty('reason');
});
