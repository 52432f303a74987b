import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { messageOf } from '../../src/base/failure.ts';
import { fastFolder } from '../fast-folder.ts';
import { openScheduleGround, type ScheduleGround } from '../settle/schedule-ground.ts';
import { scheduleProperty } from '../settle/schedule-property.ts';
import { addFigures } from './figures.ts';

export interface SchedulesCampaign {
  /** Number of schedules to run, in a limited number of seconds. */
  readonly schedules: number;
  readonly seconds: number;
  readonly seed: number;
  /** The path to one schedule of the seed, as printed with a failure. */
  readonly path: string | undefined;
}

/** Schedules per seed; then a line is printed. */
const schedulesOfSeed = 2_000;
/** Time limit in milliseconds for these schedules and for shrinking a failing one. */
const schedulesMs = 10 * 60_000;

/**
 * The long version of `schedules.campaign.ts`, one seed after the other. Prints one line per seed. Returns false if a
 * promise was broken, after printing the events.
 */
export async function schedulesCampaign(options: SchedulesCampaign): Promise<boolean> {
  const { schedules, seconds } = options;
  const folder = fastFolder();
  const untilMs = performance.now() + seconds * 1_000;
  let done = 0;
  try {
    const ground = await openScheduleGround(folder);
    for (let { seed } = options; done < schedules && performance.now() < untilMs; seed += 1) {
      const count = Math.min(schedulesOfSeed, schedules - done);
      const sound = await runSeed(ground, { ...options, seed, schedules: count, untilMs });
      if (sound === undefined) return false;
      done += sound;
      if (options.path !== undefined) break;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(`${done} schedules, 0 broken promises`);
  return true;
}

/** The number of schedules that passed; undefined if one failed. */
async function runSeed(
  ground: ScheduleGround,
  { seed, schedules, path, untilMs }: SchedulesCampaign & { readonly untilMs: number },
): Promise<number | undefined> {
  const beganMs = performance.now();
  const tally = { schedules: 0, turns: 0, payments: 0 };
  const property = scheduleProperty(ground, {
    note: ({ story, payments }) => {
      tally.schedules += 1;
      tally.turns += story.length;
      tally.payments += payments;
    },
  });
  const report = await fc.check(property, {
    seed,
    numRuns: schedules,
    interruptAfterTimeLimit: Math.min(untilMs - beganMs, schedulesMs),
    ...(path === undefined ? {} : { path }),
  });
  const rate = Math.round(tally.schedules / ((performance.now() - beganMs) / 1_000));
  console.log(
    `seed ${seed}: ${tally.schedules} schedules, ${tally.turns} turns, ${tally.payments} payments, ${rate} schedules a second`,
  );
  addFigures('schedules', { schedules: tally.schedules, violations: report.failed ? 1 : 0 });
  if (!report.failed) return tally.schedules;
  console.log(fc.defaultReportMessage(report));
  console.log(messageOf(report.errorInstance));
  return undefined;
}
