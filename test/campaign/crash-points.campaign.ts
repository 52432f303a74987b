import { expect, test } from 'vitest';
import { openJournal } from '../../src/store/journal/open-journal.ts';
import type { PushJournal } from '../../src/store/journal/push-journal.ts';
import { addProduct, entriesOf, heldIds, type OpenPush, openPush, orderItems } from '../push/open-push.ts';
import { losingAnswers, refusing } from '../push/service-habits.ts';
import { addFigures } from './figures.ts';

/*
 * Ends the process at every step of the journal: before and after each `begin` and each `end`, which also covers each
 * answer. As after a kill, nothing happens later.
 */

class Crash extends Error {}

const itemCount = 300;
const batchSize = 50;

/** A journal whose process ends at the given step, counted from 1 over all writing methods. */
function crashingAt(journal: PushJournal, crashStep: number): { journal: PushJournal; steps: () => number } {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps >= crashStep) throw new Crash(`step ${steps}`);
  };
  return {
    journal: {
      ...journal,
      begin: async (kind, entries) => {
        step();
        const request = await journal.begin(kind, entries);
        step();
        return request;
      },
      end: async (request, outcome) => {
        step();
        await journal.end(request, outcome);
        step();
      },
      record: async (kind, accepted) => {
        step();
        await journal.record(kind, accepted);
        step();
      },
    },
    steps: () => steps,
  };
}

/** A service that accepts repetitions, loses one answer, and refuses one entry by name and another without a name. */
async function openHostile(): Promise<OpenPush> {
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: (transport) =>
      losingAnswers((_, count) => count === 2)(
        refusing((id) => id === 'I120', true)(refusing((id) => id === 'I220', false)(transport)),
      ),
  });
  addProduct(push);
  return push;
}

const entries = entriesOf(orderItems(itemCount));

async function stepsOfWholePush(): Promise<number> {
  const push = await openHostile();
  const { journal, steps } = crashingAt(push.journal, Number.POSITIVE_INFINITY);
  await push.orders(entries, { journal, batchSize, concurrency: 1 });
  return steps();
}

test.each([1, 4])(
  'whatever step a push of %i requests at once ends at, the next one repeats nothing and hides nothing',
  async (concurrency) => {
    const stepCount = await stepsOfWholePush();
    expect(stepCount).toBeGreaterThan(30);
    for (let crashStep = 1; crashStep <= stepCount; crashStep += 1) {
      const push = await openHostile();
      const { journal } = crashingAt(push.journal, crashStep);
      const first = await push.orders(entries, { journal, batchSize, concurrency });
      expect(first.error).toBeInstanceOf(Crash);

      const reopened = await openJournal({ kind: 'sqlite', path: push.journalPath });
      await reopened.recover('order-item');
      const second = await push.orders(entries, { journal: reopened, batchSize, concurrency });
      await reopened.close();
      expect(second.error).toBeUndefined();
      expect(second.outcomes).toHaveLength(itemCount);

      const held = heldIds(push, 'orderItems');
      const there = new Set(held);
      expect(there.size, `at step ${crashStep} something was repeated`).toBe(held.length);
      const sentBefore = new Set(
        first.outcomes.filter(({ outcome }) => outcome === 'queued').map(({ originId }) => originId),
      );
      const wrong = second.outcomes.filter(({ originId, outcome }) => {
        if (outcome === 'unknown') return sentBefore.has(originId);
        if (outcome === 'rejected') return there.has(originId) || !['I120', 'I220'].includes(originId);
        return !there.has(originId) || (outcome === 'queued' && sentBefore.has(originId));
      });
      addFigures('crash-points', { kills: 1, violations: wrong.length });
      expect(wrong, `at step ${crashStep}`).toEqual([]);
    }
  },
);
