import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addFigures } from '../campaign/figures.ts';
import { fastFolder } from '../fast-folder.ts';
import { openScheduleGround, type ScheduleGround } from './schedule-ground.ts';
import { scheduleProperty } from './schedule-property.ts';
import type { ScheduleEnd } from './schedule-world.ts';

/*
 * Two settlers, a receiver, a person and an unreliable disk in one process on the real ledger. A seed decides whose
 * turn it is, and which faults occur. A failure prints the smallest scenario that shows it and its events, turn by
 * turn. To repeat it, pass its `seed` and `path` to `npm run campaign -- schedules --seed S --path P`.
 */

const schedules = 2_000;
const seed = 20_261_122;
/** Time for shrinking after a failure; all schedules together take a fraction of it. */
const limitMs = 480_000;

let folder = '';
let ground: ScheduleGround;

beforeAll(async () => {
  folder = fastFolder();
  ground = await openScheduleGround(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

it(
  'every promise is kept in two thousand schedules',
  async () => {
    const tally = { schedules: 0, payments: 0 };
    const note = ({ payments }: ScheduleEnd) => {
      tally.schedules += 1;
      tally.payments += payments;
    };
    const property = scheduleProperty(ground, { note });
    await fc.assert(property, { seed, numRuns: schedules, interruptAfterTimeLimit: limitMs });
    addFigures('schedules', { schedules: tally.schedules, violations: 0 });
    expect(tally.schedules).toBe(schedules);
    expect(tally.payments).toBeGreaterThan(schedules);
  },
  limitMs + 60_000,
);
