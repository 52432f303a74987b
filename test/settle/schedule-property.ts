import fc from 'fast-check';
import type { ScheduleGround } from './schedule-ground.ts';
import { scenarios } from './schedule-scenarios.ts';
import { runSchedule, type Scenario, type ScheduleEnd } from './schedule-world.ts';

/** That a schedule breaks no promise, told with all that happened in it where one does; `note` learns what came of each that broke none. */
export function scheduleProperty(
  ground: ScheduleGround,
  {
    note = () => undefined,
    those = scenarios,
  }: {
    readonly note?: (end: ScheduleEnd) => void;
    readonly those?: fc.Arbitrary<Scenario> | undefined;
  } = {},
): fc.IAsyncProperty<[Scenario]> {
  return fc.asyncProperty(those, async (scenario) => {
    const end = await runSchedule(scenario, ground);
    if (end.broken.length > 0) throw new Error(scheduleText(end));
    note(end);
  });
}

function scheduleText({ broken, story }: ScheduleEnd): string {
  return [
    ...broken.map((words) => `broken: ${words}`),
    ...story.map((turn, index) => `${index + 1}. ${turn}`),
  ].join('\n');
}
