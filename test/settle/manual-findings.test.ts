import { describe, expect, it } from 'vitest';
import type { ObservedReward } from '../../src/settle/flow/reward-service.ts';
import { importPaid, scanOpening, unfinishedImport } from '../../src/settle/manual/import-paid.ts';
import { findUnseen, resolveReward, resolveUnseen } from '../../src/settle/manual/resolve-reward.ts';
import {
  answered,
  claim,
  type ManualOutcome,
  observe,
  recordReport,
} from '../../src/settle/rules/transitions.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import { claimOptions, observation, plainPayer } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { pagesOf } from './read-ledger.ts';
import { scriptedPayer } from './scripted-payer.ts';

const by = { by: 'run', scopes: ['day 2026-01-01'] };
const lost = { kind: 'ambiguous', message: 'time-out' } as const;
const shown = (rewardId: string, amount = 5_000_000n): ObservedReward => ({
  rewardId,
  seen: observation({ amount, atMs: 0 }),
});

/** A ledger with the reward R1, after a call with this answer, if any. */
async function open(answer?: Parameters<typeof answered>[1] | 'none') {
  const { ledger, clock, settlement } = await openSettlement({ reviews: 0 });
  await ledger.change('R1', observe('R1', observation({ atMs: clock.now() })), by);
  if (answer !== undefined) await ledger.change('R1', claim(claimOptions()), by);
  if (answer !== undefined && answer !== 'none')
    await ledger.change('R1', answered(1, answer, plainPayer), by);
  const found = async (): Promise<LedgerEntry> => {
    const entry = await ledger.find('R1');
    if (entry === undefined) throw new Error('the reward is not in the ledger');
    return entry;
  };
  const resolved = async (finding: ManualOutcome, overrides = {}) =>
    resolveReward(settlement(scriptedPayer({}), overrides), await found(), finding);
  return { ledger, found, resolved };
}

describe('a finding of a person', () => {
  it.each<[finding: ManualOutcome, next: string]>([
    [{ kind: 'paid', ref: 'T1' }, 'the next settlement reports SUCCESS'],
    [{ kind: 'refused', reason: 'left' }, 'the next settlement reports that it was not paid'],
    [{ kind: 'not-paid', reason: 'no' }, 'the next settlement pays it'],
  ])('%j about a payment in doubt is recorded, and says what follows', async (finding, next) => {
    const { resolved, found } = await open(lost);
    expect(await resolved(finding)).toMatchObject({ kind: 'resolved', next });
    expect((await found()).payment).not.toBe('unknown');
  });

  it('about a reward that no run has seen makes it paid, once', async () => {
    const { ledger } = await open();
    const recovery = { ledger, run: 'person' };
    expect(await resolveUnseen(recovery, shown('R2'), 'T2')).toMatchObject({
      kind: 'resolved',
      entry: { rewardId: 'R2', payment: 'paid', ref: 'T2' },
      next: 'if the service is waiting for it, SUCCESS is reported',
    });
    expect(await resolveUnseen(recovery, shown('R1'), 'T1')).toMatchObject({
      kind: 'kept',
      entry: { payment: 'intended' },
      why: expect.stringMatching(/./),
    });
  });
});

it('rewards that no run has seen are found as they are listed first, unless the run is stopping', async () => {
  const { settlement } = await openSettlement({ reviews: 0 });
  const { service } = settlement(scriptedPayer({}));
  const rewards = [shown('1'), shown('2'), shown('2', 1n), shown('3')];
  const lists = { ...service, all: () => pagesOf(rewards) };
  const { signal } = new AbortController();
  expect([...(await findUnseen(lists, ['3', '2', 'none'], signal)).values()]).toEqual([
    rewards[1],
    rewards[3],
  ]);
  const fetches = { ...service, canFindOne: true, findAll: async () => new Map() };
  expect(await findUnseen(fetches, ['1'], signal)).toEqual(new Map());
  for (const stopped of [lists, fetches])
    await expect(findUnseen(stopped, ['none'], AbortSignal.abort('stop'))).rejects.toBe('stop');
});

it('a finding about a conflict leaves the reward as it is', async () => {
  const conflict = await open({ kind: 'paid' });
  const message = 'the service says FAILURE';
  await conflict.ledger.change('R1', recordReport({ kind: 'conflict', message }), by);
  expect(await conflict.resolved({ kind: 'accepted', reason: 'agreed' })).toMatchObject({
    kind: 'resolved',
    next: 'nothing: it stays as it is',
  });
});

describe('the opening of a ledger', () => {
  const queued = ['1', '2', '3'].map((rewardId) => shown(rewardId));
  const others = ['4', '5'].map((rewardId) => ({ ...shown(rewardId), seen: observation({ amount: null }) }));
  const pages: string[] = [];

  async function scan(paidIds: readonly string[]) {
    pages.length = 0;
    const listed = async function* (name: string, rewards: readonly ObservedReward[]) {
      for await (const page of pagesOf(rewards)) {
        pages.push(name);
        yield page;
      }
    };
    const { settlement } = await openSettlement({ reviews: 0 });
    const { service } = settlement(scriptedPayer({}));
    return scanOpening(
      {
        ...service,
        queued: () => listed('queued', queued),
        all: () => listed('all', [...queued, ...others]),
      },
      paidIds,
    );
  }

  it('counts what waits, and finds what was paid among it', async () => {
    expect(await scan(['2'])).toMatchObject({
      queued: { count: 3, amount: 15_000_000n },
      firstQueued: queued,
      found: [queued[1]],
      missing: [],
    });
    expect(pages).toEqual(['queued', 'queued', 'queued']);
  });

  it('looks for the rest among all rewards, as far as needed', async () => {
    expect(await scan(['1', '4'])).toMatchObject({
      found: [queued[0], others[0]],
      missing: [],
    });
    expect(pages.filter((name) => name === 'all')).toHaveLength(4);
    expect((await scan(['9', '5'])).missing).toEqual(['9']);
    expect(pages.filter((name) => name === 'all')).toHaveLength(5);
  });

  it('is of one list, in any order', () => {
    const { list, reason } = unfinishedImport(['b', 'a']);
    expect(unfinishedImport(['a', 'b']).list).toBe(list);
    expect(unfinishedImport(['a']).list).not.toBe(list);
    expect(list).toMatch(/^[\w-]{8}$/);
    expect(reason).toBe('ledger init did not finish: run it again');
  });

  it('imports each reward as paid, whatever was seen of it, and may be repeated', async () => {
    const { ledger } = await open({ kind: 'retry', message: 'later' });
    const rewards = Array.from({ length: 501 }, (_, index) => shown(`R${index + 1}`));
    const counts: number[] = [];
    await importPaid(ledger, rewards, 'init', (count) => counts.push(count));
    expect(counts).toEqual([500, 501]);
    expect(await ledger.find('R1')).toMatchObject({ payment: 'paid', ref: 'before this ledger' });
    expect(await ledger.find('R501')).toMatchObject({ payment: 'paid', ref: null });
    const before = await ledger.lastSeq();
    await importPaid(ledger, rewards, 'init');
    expect(await ledger.lastSeq()).toBe(before);
  });
});
