import { expect, it } from 'vitest';
import type { ObservedReward } from '../../src/settle/flow/reward-service.ts';
import { createRefresher, observeReward, syncQueued } from '../../src/settle/flow/sync-queued.ts';
import { countKnown, firstRewards } from '../../src/settle/manual/import-paid.ts';
import { freshMs } from '../../src/settle/rules/policy.ts';
import { isContradictory } from '../../src/settle/rules/reward-terms.ts';
import type { Ledger, Observation } from '../../src/store/ledger/ledger.ts';
import { observation, seen } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { pagesOf, readLedger } from './read-ledger.ts';
import { scriptedPayer } from './scripted-payer.ts';

type Page = readonly (readonly [rewardId: string, shown?: Partial<Observation>])[];

/** A ledger, and runs that each list given pages of a service; `asked` records their calls of the ledger. */
async function openLists() {
  const { ledger, clock, settlement } = await openSettlement({ reviews: 1 });
  const asked: string[] = [];
  const counted: Ledger = {
    ...ledger,
    find: (rewardId) => {
      asked.push(`find ${rewardId}`);
      return ledger.find(rewardId);
    },
    change: (rewardId, step, options) => {
      asked.push(`change ${rewardId}`);
      return ledger.change(rewardId, step, options);
    },
  };
  const base = settlement(scriptedPayer({}));
  /** A run with this name; `pageMs` is the time of the service after each page. */
  const runOver = (
    run: string,
    pages: readonly Page[],
    { pageMs = 0, stopping = base.stopping, canFindOne = false } = {},
  ) => {
    const observed = (rewardId: string, shown: Partial<Observation> = {}): ObservedReward => ({
      rewardId,
      seen: observation({ run, atMs: clock.now(), ...shown }),
    });
    const service = {
      ...base.service,
      canFindOne,
      queued: async function* () {
        for (const [index, page] of pages.entries()) {
          asked.push(`page ${index}`);
          yield page.map(([rewardId, shown]) => observed(rewardId, shown));
          await clock.sleep(pageMs);
        }
      },
      find: async (rewardId: string) => {
        asked.push(`fetch ${rewardId}`);
        const found = pages.flat().find(([id]) => id === rewardId);
        return found && observed(...found);
      },
    };
    return settlement(base.payer, { run, ledger: counted, service, stopping, beganMs: base.beganMs });
  };
  await clock.sleep(1);
  return { ledger, clock, asked, runOver };
}

it('a run that lists what another one has just listed looks before it writes, from its second page on', async () => {
  const { asked, runOver, ledger } = await openLists();
  const ofList = () => asked.splice(0).filter((request) => !request.startsWith('page'));
  await syncQueued(runOver('one', [[['1'], ['2']], [['3'], ['4']], [['5']]]));
  expect(ofList()).toEqual(['change 1', 'change 2', 'change 3', 'change 4', 'change 5']);
  await syncQueued(runOver('two', [[['1'], ['2']], [['3', { amount: 9n }], ['4'], ['new']], [['5']]]));
  const looks = ['find 3', 'find 4', 'find new', 'change 3', 'change new', 'find 5'];
  expect(ofList()).toEqual(['change 1', 'change 2', ...looks]);
  expect((await ledger.find('3'))?.seen).toMatchObject({ run: 'two', amount: 9n });
});

it.each<[what: string, pages: readonly Page[]]>([
  ['of which it knows more than it is shown', [[['1', { atMs: 0, status: 'SENDING' }]], [['2']]]],
  [
    'that it is shown twice, with different terms',
    [[['1']], [['1', { amount: 9n, document: '{"amount":900}' }]], [['2']]],
  ],
])('a reward %s is not taken for listed by another run', async (_, pages) => {
  const { asked, runOver, ledger } = await openLists();
  const [[first] = []] = pages;
  if (pages.length === 2) await syncQueued(runOver('one', [[['1']]]));
  await syncQueued(runOver('two', pages));
  expect(asked.filter((request) => request.startsWith('find'))).toEqual([]);
  const entry = await ledger.find(first?.[0] ?? '');
  expect(entry && isContradictory(entry.seen)).toBe(pages.length === 3);
});

it('a run that is stopping reads no further page', async () => {
  const { asked, runOver } = await openLists();
  await syncQueued(runOver('one', [[['1']], [['2']]], { stopping: AbortSignal.abort() }));
  expect(asked).toEqual(['page 0', 'change 1']);
});

it.each([
  [true, 0, 3_600_000, ['fetch 1']],
  [false, 0, 3_600_000, ['list']],
  [false, freshMs / 2, freshMs / 2, ['list', 'list']],
  [false, freshMs / 2, freshMs / 2 - 1, ['list', 'fetch 1']],
  [false, freshMs / 2 + 1, freshMs, ['list', 'fetch 1']],
  [false, freshMs + 1, 0, ['list', 'fetch 1']],
])(
  'what is stale is fetched (alone: %s), or with all others by a list of %i ms, used for %i ms',
  async (canFindOne, pageMs, laterMs, expected) => {
    const { asked, runOver, ledger, clock } = await openLists();
    const run = runOver('one', [[['1'], ['2']]], { pageMs, canFindOne });
    await syncQueued(run);
    await clock.sleep(3_600_000);
    const [entry, other] = await Promise.all(['1', '2'].map((rewardId) => ledger.find(rewardId)));
    if (entry === undefined || other === undefined) throw new Error('they were not listed');
    asked.length = 0;
    const refresh = createRefresher(run);
    if (expected.length === 1 && !canFindOne) await Promise.all([refresh(entry), refresh(other)]);
    else await refresh(entry);
    if (expected.length === 2 && pageMs <= freshMs) {
      await clock.sleep(laterMs);
      await refresh(entry);
    }
    const requests = asked.map((request) => request.replace(/^page .*/, 'list'));
    expect(requests.filter((request) => /^(?:list|fetch)/.test(request))).toEqual(expected);
    expect((await ledger.find('1'))?.seen.status).toBe('QUEUED');
  },
);

it('a look at a reward records that the service does not show it, and nothing of an odd id', async () => {
  const { runOver, ledger } = await openLists();
  const run = runOver('one', [[['1']], [['..']]], { canFindOne: true });
  await observeReward(run, '1', {});
  expect(await observeReward(run, '..', {})).toMatchObject({ rewardId: '..' });
  expect(await ledger.find('..')).toBeUndefined();
  const entry = await ledger.find('1');
  if (entry === undefined) throw new Error('it was not recorded');
  await createRefresher(runOver('two', [], { canFindOne: true }))(entry);
  expect((await ledger.find('1'))?.seen).toMatchObject({ run: 'two', status: '', amount: 5_000_000n });
});

it('a service is known by its first thousand rewards, of the same id and time', async () => {
  const reward = (rewardId: string, createdAt: string): ObservedReward => ({
    rewardId,
    seen: observation({ document: JSON.stringify({ createdAt }) }),
  });
  const known = ['1', '2', '4'].map((rewardId) => ({ ...seen, ...reward(rewardId, 'a') }));
  const rewards = [reward('1', 'a'), reward('2', 'b'), reward('3', 'a'), reward('4', 'a')];
  expect(await countKnown(readLedger(known), rewards)).toBe(2);
  const all = Array.from({ length: 3_000 }, (_, index) => reward(String(index), 'a'));
  const pages = [all.slice(0, 600), all.slice(600, 1_000), all.slice(1_000)];
  let read = 0;
  const service = {
    all: async function* () {
      for (const page of pages) {
        read += 1;
        yield page;
      }
    },
  };
  expect(await firstRewards(service)).toEqual(all.slice(0, 1_000));
  expect(read).toBe(2);
  expect(await firstRewards({ all: () => pagesOf(all.slice(0, 2)) })).toEqual(all.slice(0, 2));
});
