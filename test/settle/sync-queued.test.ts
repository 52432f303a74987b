import { expect, it } from 'vitest';
import type { ObservedReward } from '../../src/settle/flow/reward-service.ts';
import { createRefresher, observeReward, syncQueued } from '../../src/settle/flow/sync-queued.ts';
import { isContradictory } from '../../src/settle/rules/contradictory-observation.ts';
import { freshMs } from '../../src/settle/rules/policy.ts';
import type { Ledger, Observation } from '../../src/store/ledger/ledger.ts';
import { observation } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

type Page = readonly (readonly [rewardId: string, shown?: Partial<Observation>])[];

/** A ledger, and runs that each list the pages that a service shows them. */
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
  /** A run of that name; `pageMs` is how long the service takes after each page. */
  const runOver = (run: string, pages: readonly Page[], { pageMs = 0, stopping = base.stopping } = {}) => {
    const observed = (rewardId: string, shown: Partial<Observation> = {}): ObservedReward => ({
      rewardId,
      seen: observation({ run, atMs: clock.now(), ...shown }),
    });
    const service = {
      ...base.service,
      canFindOne: false,
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
  const { asked, runOver } = await openLists();
  const pages: Page[] = [[['1'], ['2']], [['3']], [['4']]];
  await syncQueued(runOver('one', pages));
  expect(asked.splice(0)).toEqual([
    'page 0',
    'change 1',
    'change 2',
    'page 1',
    'change 3',
    'page 2',
    'change 4',
  ]);
  await syncQueued(runOver('two', pages));
  expect(asked).toEqual(['page 0', 'change 1', 'change 2', 'page 1', 'find 3', 'page 2', 'find 4']);
});

it('of a page that another run has listed, what has changed since is written, and the next page is looked at all the same', async () => {
  const { asked, runOver, ledger } = await openLists();
  await syncQueued(runOver('one', [[['1']], [['2'], ['3']], [['4']]]));
  asked.length = 0;
  await syncQueued(runOver('two', [[['1']], [['2', { amount: 9_000_000n }], ['3'], ['new']], [['4']]]));
  expect(asked.filter((request) => !request.startsWith('page'))).toEqual([
    'change 1',
    'find 2',
    'find 3',
    'find new',
    'change 2',
    'change new',
    'find 4',
  ]);
  expect((await ledger.find('2'))?.seen).toMatchObject({ run: 'two', amount: 9_000_000n });
});

it('a run that knows more of a reward than it is shown does not take it for listed by another one', async () => {
  const { asked, runOver, clock } = await openLists();
  await syncQueued(runOver('one', [[['1']]]));
  asked.length = 0;
  const older = { atMs: clock.now() - 1, status: 'SENDING' };
  await syncQueued(runOver('two', [[['1', older]], [['2']]]));
  expect(asked).toEqual(['page 0', 'change 1', 'page 1', 'change 2']);
});

it('a reward that a list shows twice with different terms is known as contradictory, and counts as listed by this run', async () => {
  const { asked, runOver, ledger } = await openLists();
  const other = { amount: 9_000_000n, document: '{"id":"1","amount":900}' };
  await syncQueued(runOver('one', [[['1']], [['1', other]], [['2']]]));
  expect(asked).not.toContainEqual(expect.stringContaining('find'));
  const [twice, once] = await Promise.all(['1', '2'].map((rewardId) => ledger.find(rewardId)));
  expect([twice, once].map((entry) => entry && isContradictory(entry.seen))).toEqual([true, false]);
});

it('rewards that cannot be addressed are named and in no part of the list', async () => {
  const { runOver, ledger } = await openLists();
  const ids = Array.from({ length: 63 }, (_, index) => [String(index)] as const);
  const short = await syncQueued(runOver('one', [[...ids, ['..']]]));
  expect(short.unaddressable.map(({ rewardId }) => rewardId)).toEqual(['..']);
  expect(await ledger.find('..')).toBeUndefined();
  expect(short.parts).toEqual([{}]);
  expect((await syncQueued(runOver('one', [[...ids, ['63']]]))).parts).toHaveLength(2);
});

it('a run that is stopping reads no further page', async () => {
  const { asked, runOver } = await openLists();
  await syncQueued(runOver('one', [[['1']], [['2']]], { stopping: AbortSignal.abort() }));
  expect(asked).toEqual(['page 0', 'change 1']);
});

it('one reward that is fetched is observed if it is there and can be addressed', async () => {
  const { asked, runOver, ledger } = await openLists();
  const run = runOver('one', [[['1'], ['..']]]);
  expect(await observeReward(run, '1', {})).toMatchObject({ rewardId: '1' });
  expect((await ledger.find('1'))?.seen.run).toBe('one');
  asked.length = 0;
  expect(await observeReward(run, '..', {})).toMatchObject({ rewardId: '..' });
  expect(await observeReward(run, 'absent', {})).toBeUndefined();
  expect(asked).toEqual(['fetch ..', 'fetch absent']);
});

it.each([
  ['as old as one may be is paid by', freshMs, []],
  ['older than that is fetched again', freshMs + 1, ['fetch 1']],
])('what a list showed that is %s', async (_, pageMs, expected) => {
  const { asked, runOver, ledger, clock } = await openLists();
  const run = runOver('one', [[['1']]], { pageMs });
  await syncQueued(run);
  const entry = await ledger.find('1');
  if (entry === undefined) throw new Error('it was not listed');
  await clock.sleep(freshMs);
  asked.length = 0;
  await createRefresher(run)(entry);
  expect(asked.filter((request) => request.startsWith('fetch'))).toEqual(expected);
});
