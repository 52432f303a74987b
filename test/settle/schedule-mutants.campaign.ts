import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type * as transitions from '../../src/settle/rules/transitions.ts';
import type * as ledgerFence from '../../src/store/ledger/ledger-fence.ts';
import { fastFolder } from '../fast-folder.ts';
import { openScheduleGround, type ScheduleGround } from './schedule-ground.ts';
import { scheduleProperty } from './schedule-property.ts';
import { scenarios } from './schedule-scenarios.ts';
import type { Scenario } from './schedule-world.ts';

type Transitions = typeof transitions;

/** The changed rules of the current mutant. */
const changed = vi.hoisted(() => ({ rules: {} as Partial<Transitions>, isUnfenced: false }));

vi.mock('../../src/settle/rules/transitions.ts', async (importOriginal) => {
  const original = await importOriginal<Transitions>();
  const changeable = (name: 'claim' | 'recover') => ({
    [name]: (...args: readonly never[]) => {
      const rule = (changed.rules[name] ?? original[name]) as (...given: readonly never[]) => unknown;
      return rule(...args);
    },
  });
  return {
    ...original,
    ...changeable('claim'),
    ...changeable('recover'),
  };
});

vi.mock('../../src/store/ledger/ledger-fence.ts', async (importOriginal) => {
  const original = await importOriginal<typeof ledgerFence>();
  const withFence: typeof ledgerFence.withFence = (ledger, ground) => {
    const fenced = original.withFence(ledger, ground);
    return changed.isUnfenced ? { ...fenced, fence: async () => undefined } : fenced;
  };
  return { ...original, withFence };
});

const { claim, recover } = await vi.importActual<Transitions>('../../src/settle/rules/transitions.ts');

/** The real settlement without one of its rules, and the resulting violation. */
interface Mutant {
  readonly without: string;
  readonly rules?: Partial<Transitions>;
  readonly isUnfenced?: boolean;
  readonly those?: fc.Arbitrary<Scenario>;
  readonly broken: RegExp;
}

const mutants: readonly Mutant[] = [
  {
    without: 'the owner of a claim being left alone while it lives',
    rules: {
      recover: (attempt, evidence, options) =>
        recover(attempt, evidence, { ...options, isOwnerAlive: false }),
    },
    those: scenarios.map((scenario) => ({ ...scenario, settlers: 2, runs: 2 })),
    broken: /left it unknown|under way|money moved 2 times/,
  },
  {
    without: 'a lost call being repeated to none but a payer that honours keys',
    rules: {
      claim: (options) =>
        claim({ ...options, capabilities: { ...options.capabilities, idempotentForMs: 1e12 } }),
    },
    broken: /money moved 2 times/,
  },
  {
    without: 'a frozen ledger refusing claims',
    rules: { claim: (options) => (facts) => claim(options)({ ...facts, frozen: undefined }) },
    broken: /claimed while the ledger is frozen/,
  },
  {
    without: 'a claim being fenced by the mark',
    isUnfenced: true,
    those: scenarios.map((scenario) => ({ ...scenario, isMoved: true, settlers: 2 })),
    broken: /money moved 2 times|no claim/,
  },
  {
    without: 'a disk that keeps what it says it has written',
    // Without calls, since a receiver would first notice that the disk lost the reward itself.
    those: scenarios.map((scenario) => ({
      ...scenario,
      calls: [],
      disk: { percent: 20, troubles: ['forgets'] },
    })),
    broken: /money moved 2 times|before the ledger knew|left it unknown/,
  },
];

const schedulesMaximum = 300;
const seed = 1;

let folder = '';
let ground: ScheduleGround;

beforeAll(async () => {
  folder = fastFolder();
  ground = await openScheduleGround(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(mutants)(
  'without $without a promise is broken, and some schedule tells which',
  async ({ rules = {}, isUnfenced = false, those, broken }) => {
    Object.assign(changed, { rules, isUnfenced });
    try {
      const property = scheduleProperty(ground, { those });
      const { failed, errorInstance } = await fc.check(property, {
        seed,
        numRuns: schedulesMaximum,
        endOnFailure: true,
      });
      expect(failed).toBe(true);
      expect(String(errorInstance)).toMatch(broken);
    } finally {
      Object.assign(changed, { rules: {}, isUnfenced: false });
    }
  },
);
