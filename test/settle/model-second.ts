import { isDeepStrictEqual } from 'node:util';
import { type Frame, processMoves } from './model-processes.ts';
import type { Move } from './model-search.ts';
import type { OtherLedger, Process, State, World } from './model-state.ts';

/*
 * A person copies the ledger at any moment, on the same machine or to another one, or creates an empty one for another
 * address of the service. The last poller settles by this second ledger, with the same payer and service.
 */

export function secondLedgers(state: State, { setting, protocol }: Frame): Move<State>[] {
  const { second } = setting;
  const { other } = state.world;
  if (other !== null) return second === 'elsewhere' ? movingAway(state, other) : [];
  switch (second) {
    case 'none':
      return [];
    case 'copy':
      return [{ words: 'a person copies the ledger', next: withWorld(state, { other: ledgerIn(state) }) }];
    case 'elsewhere':
      return [
        {
          words: 'a person copies the ledger to another machine',
          next: withWorld(state, { other: ledgerIn(state) }),
        },
      ];
    case 'other-address': {
      const empty: OtherLedger = { rows: state.rewards.map(() => ({})), budgets: [] };
      const words = 'a person makes a second ledger by another address of the service';
      return protocol.hasOneLedger() ? [] : [{ words, next: withWorld(state, { other: empty }) }];
    }
  }
}

/** A person who moves a ledger tells the truth: the copy is the newest, and the original is no longer used. */
function movingAway(state: State, copy: OtherLedger): Move<State>[] {
  const isNewest = isDeepStrictEqual(copy, ledgerIn(state));
  const isStopped = state.processes.every(({ hasSecond, at }) => hasSecond === true || at.kind === 'idle');
  if (state.world.marked !== 'both' || !isNewest || !isStopped) return [];
  return [
    { words: 'a person moves the ledger to the other machine', next: withWorld(state, { marked: 'second' }) },
  ];
}

function ledgerIn({ rewards, budgets }: State): OtherLedger {
  return { rows: rewards.map(({ row }) => row), budgets };
}

function withWorld(state: State, changes: Partial<World>): State {
  return { ...state, world: { ...state.world, ...changes } };
}

/** Possible moves of a process, by the ledger that it uses. */
export function movesByLedger(state: State, process: Process, index: number, frame: Frame): Move<State>[] {
  if (!isOpenTo(state, process, frame)) return [];
  if (process.hasSecond === undefined) return processMoves(state, index, frame);
  return processMoves(exchanged(state), index, frame).map((move) => ({
    ...move,
    next: exchanged(move.next),
  }));
}

/** On another machine a ledger opens frozen until it is moved there; then the original is no longer used. */
function isOpenTo({ world }: State, { hasSecond }: Process, { setting, protocol }: Frame): boolean {
  if (hasSecond === true && world.other === null) return false;
  if (setting.second !== 'elsewhere' || !protocol.isFrozenElsewhere()) return true;
  return (hasSecond === true) === (world.marked === 'second');
}

/** The state with only the ledger in use. */
export function byLedgerInUse(state: State): State {
  const inUse = state.world.marked === 'second' ? exchanged(state) : state;
  return withWorld(inUse, { other: null, marked: 'both' });
}

/** Swaps the two ledgers of a state. */
function exchanged(state: State): State {
  const { world, rewards } = state;
  if (world.other === null) throw new Error('the model has one ledger');
  const { rows, budgets: otherBudgets } = world.other;
  return {
    ...state,
    world: { ...world, other: ledgerIn(state) },
    budgets: otherBudgets,
    rewards: rewards.map((reward, index) => ({ ...reward, row: rows[index] ?? {} })),
  };
}
