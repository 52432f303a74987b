import { createSettleBreaker } from '../../src/settle/flow/settle-breaker.ts';
import { rewardOutcome } from '../../src/settle/flow/settlement.ts';
import { verdictOn } from '../../src/settle/rules/policy.ts';
import { later } from './model-moves.ts';
import { payerMoves } from './model-payer.ts';
import { type Frame, processMoves } from './model-processes.ts';
import { promises } from './model-promises.ts';
import { wordFor } from './model-protocol.ts';
import { accepted } from './model-restore.ts';
import { importedAll } from './model-results.ts';
import { type Move, type Parted, StateCodec } from './model-search.ts';
import { byLedgerInUse } from './model-second.ts';
import {
  type At,
  effectsOf,
  idle,
  isDecided,
  msOf,
  type Process,
  policyOf,
  rewardAt,
  type State,
  withProcess,
} from './model-state.ts';

/** Runs after the last fault that must settle everything settleable. Each poisoned reward may cost one more run. */
const runsMaximum = 3;

/** Differs from the number of every earlier life. */
const lastLife = 100;

/** More steps than any run has. */
const stepsMaximum = 12;

/**
 * Checks that states settle once faults stop: every process is killed a last time, outstanding calls arrive unheard,
 * and a poller runs without faults. States that differ only in their processes are then equal, and are checked once.
 */
export class QuietJudge {
  readonly #frame: Frame;
  readonly #codec: StateCodec<State>;
  readonly #judged = new Map<string, string | undefined>();

  constructor(frame: Frame, parted: Parted<State>) {
    this.#frame = frame;
    this.#codec = new StateCodec(parted);
  }

  breachAfter(state: State): string | undefined {
    const open = accepted(byLedgerInUse(state), this.#frame);
    const world = open.world.isFrozen ? { ...open.world, isFrozen: false } : open.world;
    const killed: State = { ...open, world, processes: restarted(state, 0) };
    const name = this.#codec.encode(killed);
    if (!this.#judged.has(name)) this.#judged.set(name, this.#judge(endedAll(killed, this.#frame)));
    return this.#judged.get(name);
  }

  #judge(state: State): string | undefined {
    let quiet = state;
    const runs = runsMaximum + this.#frame.setting.poisoned;
    for (let run = 0; run < runs; run += 1) {
      quiet = later({ ...quiet, processes: restarted(quiet, run) });
      quiet = endedAll(pollAll(quiet, this.#frame), this.#frame);
    }
    for (const reward of quiet.rewards.keys()) {
      const broken = unsettled(quiet, reward, this.#frame) ?? unlikeAnswers(quiet, reward, this.#frame);
      if (broken !== undefined) return broken;
    }
    return undefined;
  }
}

/** Every process is new and idle. */
function restarted({ processes }: State, run: number): readonly Process[] {
  return processes.map((process) => ({ ...process, life: lastLife + run, at: idle }));
}

/** Every outstanding call arrives, and the person who pays by hand imports the results. */
function endedAll(state: State, frame: Frame): State {
  return importedAll(landedAll(state, frame), frame);
}

/** Every outstanding call has its worst effect: it pays, and the answer is lost. */
function landedAll(state: State, { setting }: Frame): State {
  let landed = state;
  for (const reward of state.rewards.keys()) {
    for (const _ of rewardAt(state, reward).books.calls) {
      landed = payerMoves(landed, reward, setting)[0]?.next ?? landed;
    }
  }
  return landed;
}

/** A run of a poller. It ends early if the breaker decides that the payer is gone. */
function pollAll(state: State, frame: Frame): State {
  const entries = state.rewards.map(({ row }) => row.entry);
  const inDoubt = entries.flatMap((entry) => (entry?.payment === 'unknown' ? [entry.rewardId] : []));
  const breaker = createSettleBreaker(new Set(inDoubt));
  let polled = state;
  for (const reward of frame.protocol.turns(entries)) {
    if (breaker.isOpen) break;
    const before = rewardAt(polled, reward).row.entry;
    polled = cleanRun(polled, 'poller', reward, frame).state;
    const { entry } = rewardAt(polled, reward).row;
    const isLost = entry?.payment === 'unknown' && entry.attempt > (before?.attempt ?? 0);
    if (entry === undefined || !(isLost || isDecided(entry))) continue;
    if (entry.payment === 'paid' && !isDecided(before)) breaker.notePaid();
    breaker.note({
      outcome: rewardOutcome(entry),
      isEarlier: isDecided(before),
      ...(isLost ? { cause: 'outcome-unknown' } : {}),
    });
  }
  return polled;
}

interface Run {
  readonly state: State;
  /** The states of the process, in order. */
  readonly path: readonly At[];
}

/** Settles one reward by one process, with a payer that answers and a service that accepts every word. */
function cleanRun(state: State, kind: 'poller' | 'webhook', reward: number, frame: Frame): Run {
  const index = state.processes.findIndex((process) => process.kind === kind);
  const without = { state, path: [] };
  if (index === -1) return without;
  const begun = processMoves(state, index, unbounded(frame))[reward];
  let run: Run = begun === undefined ? without : { state: begun.next, path: [] };
  for (let step = 0; step < stepsMaximum; step += 1) {
    const at = run.state.processes[index]?.at ?? idle;
    if (at.kind === 'idle') return run;
    const move = cleanMove(run.state, { index, at, reward }, unbounded(frame));
    run = { state: move?.next ?? withProcess(run.state, index, idle), path: [...run.path, at] };
  }
  throw new Error(`a clean run has no end: ${run.path.map((at) => at.kind).join(', ')}`);
}

function unbounded(frame: Frame): Frame {
  return { ...frame, setting: { ...frame.setting, attempts: Infinity } };
}

function cleanMove(
  state: State,
  { index, at, reward }: { readonly index: number; readonly at: At; readonly reward: number },
  frame: Frame,
): Move<State> | undefined {
  if (at.kind !== 'waiting') return processMoves(state, index, frame)[0];
  const answered = payerMoves(state, reward, frame.setting).find(
    ({ next }) => next.processes[index]?.at.kind === 'answered',
  );
  return answered ?? processMoves(state, index, frame)[0];
}

/**
 * The broken promise for a reward that is not settled, unless the service, policy or a doubt that only a person can end
 * prevents it.
 */
function unsettled(state: State, reward: number, { setting }: Frame): string | undefined {
  const { row, shown } = rewardAt(state, reward);
  const { entry } = row;
  if (entry === undefined || reward < setting.poisoned) return undefined;
  if (isDecided(entry)) {
    const isTrue =
      entry.report === 'confirmed' ? shown.status === wordFor(entry) : entry.report === 'conflict';
    return isTrue ? undefined : promises.told;
  }
  const nowMs = msOf(state.world.tick);
  // The observation at this time.
  const seen = { ...entry.seen, atMs: nowMs, status: shown.status, amount: shown.amount };
  const { kind } = verdictOn(
    { ...entry, seen },
    { policy: policyOf(setting), capabilities: setting.capabilities, nowMs },
  );
  // With several rewards, one may exceed the cap.
  const isOwed =
    kind === 'pay' && (entry.payment === 'unknown' || setting.rewards === 1 || setting.poisoned > 0);
  return kind === 'under-way' || isOwed ? promises.settles : undefined;
}

function unlikeAnswers(state: State, reward: number, frame: Frame): string | undefined {
  const first = cleanRun(state, 'webhook', reward, frame);
  const second = cleanRun(first.state, 'webhook', reward, frame);
  const effects = (run: Run) => effectsOf(rewardAt(run.state, reward).books);
  const word = (run: Run) => JSON.stringify(run.path.find((at) => at.kind === 'answering'));
  const isDecidedNow = isDecided(rewardAt(first.state, reward).row.entry);
  if (!isDecidedNow) return undefined;
  return word(first) === word(second) && effects(first) === effects(second) ? undefined : promises.repeats;
}
