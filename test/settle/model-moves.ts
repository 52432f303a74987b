import { payerMoves } from './model-payer.ts';
import type { Frame } from './model-processes.ts';
import { restoring } from './model-restore.ts';
import { importing } from './model-results.ts';
import type { Move } from './model-search.ts';
import { movesByLedger, secondLedgers } from './model-second.ts';
import {
  amounts,
  idle,
  type Process,
  type RewardState,
  rewardAt,
  type State,
  withReward,
} from './model-state.ts';

/** All possible next moves. */
export function movesOf(state: State, frame: Frame): readonly Move<State>[] {
  return [
    ...state.processes.flatMap((process, index) => [
      ...movesByLedger(state, process, index, frame),
      ...crashOf(state, process, index, frame),
    ]),
    ...state.rewards.flatMap((_, reward) => [
      ...payerMoves(state, reward, frame.setting),
      ...serviceMoves(state, reward, frame),
    ]),
    ...freezing(state, frame),
    ...restoring(state, frame),
    ...secondLedgers(state, frame),
    ...importing(state, frame),
    ...timePassing(state, frame),
  ];
}

/** Between claim and outcome, a kill or a suspension leaves a payment unknown. */
function isAtMoney({ at }: Process): boolean {
  return ['claimed', 'ready', 'waiting', 'answered'].includes(at.kind);
}

/** A killed process gets a new identity when it restarts; its calls stay outstanding. */
function crashed(state: State, process: Process, index: number): State {
  const dead = { ...process, life: process.life + 1, at: idle };
  const { at } = process;
  const troubled = at.kind !== 'idle' && isAtMoney(process) ? troubledAt(state, at.reward) : state;
  return { ...troubled, processes: troubled.processes.with(index, dead) };
}

function troubledAt(state: State, reward: number): State {
  const { books } = rewardAt(state, reward);
  return books.isTroubled ? state : withReward(state, reward, { books: { ...books, isTroubled: true } });
}

function crashOf(state: State, process: Process, index: number, { setting }: Frame): Move<State>[] {
  const isPossible =
    process.at.kind !== 'idle' && process.kind !== 'person' && state.world.crashes < setting.crashes;
  if (!isPossible) return [];
  const next = crashed(state, process, index);
  const world = { ...state.world, crashes: state.world.crashes + 1 };
  return [{ words: `${process.name} is killed`, next: { ...next, world } }];
}

/** The service may change the amount, or give up a reward if its webhook got no success in time. */
function serviceMoves(state: State, reward: number, { setting }: Frame): Move<State>[] {
  const { shown } = rewardAt(state, reward);
  if (shown.status !== 'QUEUED') return [];
  const moves: Move<State>[] = [];
  if (setting.changesAmount && shown.amount === amounts.first) {
    const next = withReward(state, reward, { shown: { ...shown, amount: amounts.changed } });
    moves.push({ words: `the service changes the amount of reward ${reward}`, next });
  }
  const isAsking = state.processes.some(
    ({ kind, at }) => kind === 'webhook' && at.kind !== 'idle' && at.reward === reward,
  );
  if (isAsking) {
    const next = withReward(state, reward, { shown: { ...shown, status: 'FAILURE' } });
    moves.push({ words: `the service takes reward ${reward} as failed`, next });
  }
  return moves;
}

function freezing(state: State, { setting }: Frame): Move<State>[] {
  if (!setting.isFrozenAtTimes) return [];
  const { isFrozen } = state.world;
  const words = isFrozen ? 'a person unfreezes the ledger' : 'a person freezes the ledger';
  return [{ words, next: { ...state, world: { ...state.world, isFrozen: !isFrozen } } }];
}

function timePassing(state: State, { setting }: Frame): Move<State>[] {
  if (state.world.tick === setting.ticks) return [];
  return [{ words: 'time passes', next: later(state) }];
}

/** The state a tick later. Processes between claim and outcome were suspended, and outdated calls no longer arrive. */
export function later(state: State): State {
  const tick = state.world.tick + 1;
  const suspended = state.processes.flatMap((process) =>
    isAtMoney(process) && process.at.kind !== 'idle' ? [process.at.reward] : [],
  );
  const rewards = state.rewards.map(({ row, books, shown }, reward): RewardState => {
    const calls = books.calls.filter(({ endTick }) => endTick === null || endTick > tick);
    const isTroubled = books.isTroubled || suspended.includes(reward);
    const before = { status: shown.status, amount: shown.amount };
    return { row, books: { ...books, calls, isTroubled }, shown: { ...shown, before } };
  });
  return { ...state, world: { ...state.world, tick }, rewards };
}
