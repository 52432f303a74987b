import fc from 'fast-check';
import type { ScheduleGround } from './schedule-ground.ts';
import { scenarios } from './schedule-scenarios.ts';
import { runSchedule, type Scenario, type ScheduleEnd } from './schedule-world.ts';

/**
 * The property that no promise is broken; a failure shows the whole story of the schedule. `note` receives the end of
 * each schedule that passes.
 */
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
