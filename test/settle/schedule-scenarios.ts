import fc from 'fast-check';
import type { Scenario } from './schedule-world.ts';

/** Number of choices of each kind for a schedule; everything after them happens in order and without faults. */
const choicesMaximum = 300;

const hourMs = 3_600_000;

const choices = fc.uint8Array({ maxLength: choicesMaximum, size: 'max' });

const soundDisk: Scenario['disk'] = { percent: 0, troubles: ['busy', 'fails', 'fails-late', 'full'] };

/** All scenarios of schedules, the simplest first. */
export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  turns: choices,
  luck: choices,
  payer: fc.record({
    leavesEvidence: fc.boolean(),
    isIdempotent: fc.boolean(),
    replaysResponse: fc.boolean(),
    hasLookup: fc.boolean(),
    isPoisoned: fc.constantFrom(false, false, false, true),
  }),
  service: fc.record({
    rewards: fc.integer({ min: 1, max: 3 }),
    lostPercent: fc.constantFrom(0, 5),
    takesAnswers: fc.boolean(),
  }),
  settlers: fc.integer({ min: 0, max: 2 }),
  runs: fc.integer({ min: 1, max: 2 }),
  concurrency: fc.integer({ min: 1, max: 2 }),
  calls: fc.array(fc.nat({ max: 0 }), { maxLength: 3 }),
  deeds: fc.array(fc.constantFrom('resolve', 'freeze', 'unfreeze', 'reconcile'), { maxLength: 3 }),
  kills: fc.nat({ max: 2 }),
  isMoved: fc.constantFrom(false, false, true),
  leaps: fc.array(fc.constantFrom(61_000, 2 * hourMs, 26 * hourMs), { maxLength: 2 }),
  disk: fc.constantFrom(soundDisk, soundDisk, { ...soundDisk, percent: 4 }),
  capped: fc.constantFrom('nothing', 'day', 'run'),
});
