import { importReward } from '../../src/settle/rules/transitions.ts';
import { changeLedger } from './model-ledger.ts';
import { type Frame, observation } from './model-processes.ts';
import type { Move } from './model-search.ts';
import { effectsOf, rewardAt, type State } from './model-state.ts';

/*
 * A person restores a backup from before the first observation, while no process runs and no call is outstanding, as in
 * `docs/ledger-operations.md`: the ledger opens frozen, is compared with the payer's statement, and is then unfrozen.
 */

export function restoring(state: State, frame: Frame): Move<State>[] {
  const { setting, protocol } = frame;
  const { world } = state;
  if (!setting.isRestored) return [];
  if (world.restored === 'frozen') {
    const next = protocol.isUnfrozenUncompared() ? unfrozen(state) : unfrozen(compared(state, frame));
    return [{ words: 'a person unfreezes the restored ledger', next }];
  }
  const isQuiet =
    state.processes.every(({ at }) => at.kind === 'idle') &&
    state.rewards.every(({ books }) => books.calls.length === 0);
  if (world.restored !== 'never' || !isQuiet) return [];
  const isFrozen = protocol.isRestoredFrozen();
  const next = {
    ...state,
    world: { ...world, isFrozen, restored: isFrozen ? ('frozen' as const) : ('done' as const) },
    budgets: [],
    // Refusals since the backup are forgotten, because a statement shows payments only.
    rewards: state.rewards.map((reward) => ({
      ...reward,
      row: {},
      shown: { ...reward.shown, isToldUnpaid: false },
    })),
  };
  return [{ words: 'a person restores the ledger from its first backup', next }];
}

/** The state after a restored ledger was compared, which must precede any run. */
export function accepted(state: State, frame: Frame): State {
  return state.world.restored === 'frozen' ? unfrozen(compared(state, frame)) : state;
}

function unfrozen(state: State): State {
  return { ...state, world: { ...state.world, isFrozen: false, restored: 'done' } };
}

/** Records everything that the payer has paid, whether or not a run has seen it since. */
function compared(state: State, frame: Frame): State {
  const { protocol, setting } = frame;
  let next = state;
  for (const reward of state.rewards.keys()) {
    const { row, books } = rewardAt(state, reward);
    if (effectsOf(books) === 0) continue;
    const paid = { kind: 'paid', ref: 'statement' } as const;
    const { state: noted } =
      row.entry === undefined
        ? changeLedger(
            next,
            reward,
            importReward(`R${reward}`, observation({ state }, reward), paid.ref),
            frame,
          )
        : changeLedger(next, reward, protocol.resolve(row.entry.attempt, paid, setting.capabilities), frame);
    next = noted;
  }
  return next;
}
