import { expect, it } from 'vitest';
import { searchSetting } from './model.ts';
import { promises } from './model-promises.ts';
import { traceText } from './model-search.ts';
import { beyondHelp, settings } from './model-settings.ts';

/** Far more states than any of the settings has. */
const statesMaximum = 200_000;
/** Minimum of states in all settings together, so that none becomes empty unnoticed. */
const statesWanted = 100_000;

let states = 0;

it.each(Object.values(settings))('$name: every promise is kept in every state', (setting) => {
  const report = searchSetting(setting, { statesMaximum });
  expect(report.found && traceText(report.found)).toBeUndefined();
  expect(report.isComplete).toBe(true);
  states += report.states;
});

it('looks at more than a hundred thousand states', () => {
  expect(states).toBeGreaterThan(statesWanted);
});

it('knows what no ledger can prevent: a process suspended after its last check, which looks the same as a dead one', () => {
  const keyed = { ...beyondHelp, capabilities: settings.keyed.capabilities, ticks: 1 };
  expect(searchSetting(keyed, { statesMaximum }).found?.breach).toBe(promises.outstanding);
});
