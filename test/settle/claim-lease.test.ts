import { describe, expect, it } from 'vitest';
import type { Payer } from '../../src/payer/payer.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { RacingClock } from '../push/racing-clock.ts';
import { openSettlement, words } from './open-settlement.ts';
import { pays, type ScriptedPayer, scriptedPayer } from './scripted-payer.ts';

const claimLeaseMs = 1_000;
const longMs = 1_500;

/** Effects of a suspension on the clocks of the suspended process. */
const suspensions: Readonly<Record<string, (clock: RacingClock) => unknown>> = {
  'by a signal': (clock) => clock.sleep(longMs),
  'with its machine, whose monotonic clock stops': (clock) => clock.setBack(-longMs),
  'while its clock is set back by an hour': (clock) => {
    clock.setBack(3_600_000);
    return clock.sleep(longMs);
  },
};

async function openWorld(how: string) {
  const world = await openSettlement({ reviews: 1 });
  return { ...world, suspend: () => suspensions[how]?.(world.clock), settlement: { claimLeaseMs } };
}

/** Runs `before` ahead of each call, as the time to open a connection. */
function reachedAfter(payer: ScriptedPayer, before: (call: number) => void): Payer {
  let tries = 0;
  return {
    ...payer,
    pay: async (payment, mayLeave = () => true) => {
      tries += 1;
      before(tries);
      return mayLeave() ? payer.pay(payment) : { kind: 'retry', message: 'not sent' };
    },
  };
}

/** Runs `before` after each read that precedes a call, and before its result is returned. */
function lookedAt(ledger: Ledger, before: (look: number) => void): Ledger {
  let looks = 0;
  return {
    ...ledger,
    find: async (rewardId) => {
      const entry = await ledger.find(rewardId);
      if (entry?.payment !== 'paying') return entry;
      looks += 1;
      before(looks);
      return entry;
    },
  };
}

describe.each(Object.keys(suspensions))(
  'a process that is suspended %s for longer than its claim lasts',
  (how) => {
    it('between its look and its call sends nothing, claims the reward again and pays it once', async () => {
      const { settle, ledger, suspend, settlement } = await openWorld(how);
      const payer = scriptedPayer({});
      const late = reachedAfter(payer, (call) => {
        if (call === 1) suspend();
      });
      const { outcomes } = await settle(late, settlement);
      expect(words(outcomes)).toEqual({ paid: 1 });
      expect(payer.calls.map(({ attempt }) => attempt)).toEqual([2]);
      expect(await kindsIn(ledger)).toEqual(['seen', 'claimed', 'released', 'claimed', 'paid', 'reported']);
    });

    it('while the answer to its look waits does not trust it', async () => {
      const { settle, ledger, suspend, settlement } = await openWorld(how);
      const payer = scriptedPayer({});
      const looked = lookedAt(ledger, (look) => {
        if (look === 1) suspend();
      });
      const { outcomes } = await settle(payer, { ...settlement, ledger: looked });
      expect(words(outcomes)).toEqual({ paid: 1 });
      expect(payer.calls.map(({ attempt }) => attempt)).toEqual([2]);
    });
  },
);

it('a process that is held up before every call leaves the reward open and pays nothing', async () => {
  const { settle, suspend, settlement } = await openWorld('by a signal');
  const payer = scriptedPayer({ script: () => pays });
  const { outcomes } = await settle(reachedAfter(payer, suspend), settlement);
  expect(outcomes).toMatchObject([
    {
      outcome: 'waiting',
      reason: expect.stringMatching(/^the payer was not called: this process was suspended/),
    },
  ]);
  expect(payer.calls).toEqual([]);
});

async function kindsIn(ledger: Ledger): Promise<readonly string[]> {
  const kinds: string[] = [];
  for await (const page of ledger.events()) kinds.push(...page.map(({ kind }) => kind));
  return kinds;
}
