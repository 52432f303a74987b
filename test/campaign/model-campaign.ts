import { searchSetting } from '../settle/model.ts';
import { traceText } from '../settle/model-search.ts';
import { enlarged, settings } from '../settle/model-settings.ts';
import { addFigures } from './figures.ts';

/**
 * The long version of `model.campaign.ts`: every setting with more kills and time, nearest states first, up to a
 * maximum number of states each. Prints one line per setting; returns false if a promise was broken.
 */
export function modelCampaign(statesMaximum: number, isTimeOver: () => boolean): boolean {
  let states = 0;
  let broken = 0;
  for (const setting of Object.values(settings)) {
    if (isTimeOver()) break;
    const beganMs = performance.now();
    const report = searchSetting(enlarged(setting), { statesMaximum });
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    states += report.states;
    const extent = report.isComplete || report.found !== undefined ? '' : ', not all';
    console.log(`${setting.name}: ${report.states} states${extent}, ${report.moves} moves, ${seconds} s`);
    if (report.found === undefined) continue;
    broken += 1;
    console.log(traceText(report.found));
  }
  console.log(`${states} states, ${broken} broken promises`);
  addFigures('model', { violations: broken });
  return broken === 0;
}
