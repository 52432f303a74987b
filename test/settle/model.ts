import { movesOf } from './model-moves.ts';
import type { Frame } from './model-processes.ts';
import { breachIn } from './model-promises.ts';
import { protocol } from './model-protocol.ts';
import { type Machine, type SearchReport, search } from './model-search.ts';
import { initialState, partsOf, type Setting, type State, stateOf } from './model-state.ts';

/** Looks at every state that settlement can be brought into in this setting, by the whole protocol or a changed one. */
export function searchSetting(
  setting: Setting,
  { statesMaximum, ...changes }: { readonly statesMaximum: number } & Partial<Omit<Frame, 'setting'>>,
): SearchReport {
  const frame: Frame = { setting, protocol, isLawful: true, ...changes };
  const machine: Machine<State> = {
    initial: initialState(setting),
    moves: (state) => movesOf(state, frame),
    breachIn,
    partsOf,
    stateOf: (parts) => stateOf(parts, setting),
  };
  return search(machine, { statesMaximum });
}
