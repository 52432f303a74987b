import { type Frame, processMoves } from './model-processes.ts';
import type { Move } from './model-search.ts';
import type { Process, State } from './model-state.ts';

/*
 * A person who copies the ledger at any moment, and a process that settles by the copy from then on. Payer, service and the mark outside
 * of both ledgers are the same.
 */

export function copying(state: State, { setting }: Frame): Move<State>[] {
  const { world, rewards, budgets } = state;
  if (!setting.isCopied || world.other !== null) return [];
  const other = { rows: rewards.map(({ row }) => row), budgets };
  return [
    { words: 'a person copies the ledger', next: { ...state, world: { ...world, other, marked: 'both' } } },
  ];
}

/** What a process may do next, by the ledger it settles by. */
export function movesByLedger(state: State, process: Process, index: number, frame: Frame): Move<State>[] {
  if (process.hasCopy === undefined) return processMoves(state, index, frame);
  if (state.world.other === null) return [];
  return processMoves(exchanged(state), index, frame).map((move) => ({
    ...move,
    next: exchanged(move.next),
  }));
}

/** The state in which the other ledger is the one that is looked at. */
function exchanged(state: State): State {
  const { world, rewards, budgets } = state;
  if (world.other === null) throw new Error('the model has one ledger');
  const { rows, budgets: otherBudgets } = world.other;
  return {
    ...state,
    world: { ...world, other: { rows: rewards.map(({ row }) => row), budgets } },
    budgets: otherBudgets,
    rewards: rewards.map((reward, index) => ({ ...reward, row: rows[index] ?? {} })),
  };
}
