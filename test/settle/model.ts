import { movesOf } from './model-moves.ts';
import type { Frame } from './model-processes.ts';
import { breachIn } from './model-promises.ts';
import { protocol } from './model-protocol.ts';
import { QuietJudge } from './model-quiet.ts';
import { type Machine, type Parted, type SearchReport, search } from './model-search.ts';
import { initialState, partsOf, type Setting, type State, stateOf } from './model-state.ts';

/**
 * Visits every reachable state of settlement in this setting, by the complete protocol or a changed one, and checks
 * what each leads to once faults stop.
 */
export function searchSetting(
  setting: Setting,
  { statesMaximum, ...changes }: { readonly statesMaximum: number } & Partial<Omit<Frame, 'setting'>>,
): SearchReport {
  const frame: Frame = { setting, protocol, isLawful: true, ...changes };
  const parted: Parted<State> = {
    initial: initialState(setting),
    partsOf,
    stateOf: (parts) => stateOf(parts, setting),
  };
  const judge = new QuietJudge(frame, parted);
  const machine: Machine<State> = {
    ...parted,
    moves: (state) => movesOf(state, frame),
    breachIn: (state) => breachIn(state) ?? judge.breachAfter(state),
  };
  return search(machine, { statesMaximum });
}
