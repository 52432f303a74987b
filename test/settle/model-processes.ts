import type { LookupAnswer, RecoveredOutcome } from '../../src/payer/payer.ts';
import { capsOn } from '../../src/settle/rules/policy.ts';
import type { ReportResult } from '../../src/settle/rules/transitions.ts';
import type { LedgerEntry, Observation } from '../../src/store/ledger/ledger.ts';
import { changeLedger } from './model-ledger.ts';
import { isInBooks, isProvablyUnpaid, withCall } from './model-payer.ts';
import { breachOfCall, breachOfWord } from './model-promises.ts';
import { type Protocol, wordFor } from './model-protocol.ts';
import type { Move } from './model-search.ts';
import {
  type At,
  amounts,
  effectsOf,
  idle,
  isDecided,
  msOf,
  ownerOf,
  type Process,
  policyOf,
  rewardAt,
  type Setting,
  type Shown,
  type State,
  tickMs,
  timeoutMs,
  type Word,
  withProcess,
  withReward,
} from './model-state.ts';

/** The fixed parameters of the model. */
export interface Frame {
  readonly setting: Setting;
  readonly protocol: Protocol;
  /** True if the ledger itself guards against unlawful changes. */
  readonly isLawful: boolean;
}

/** A process that is about to make its next durable step. */
interface Turn extends Frame {
  readonly state: State;
  readonly index: number;
  readonly process: Process;
}

interface TurnAt<Kind extends At['kind']> extends Turn {
  readonly at: Extract<At, { readonly kind: Kind }>;
}

/** A lease ends this much before the tick from which it no longer counts. */
const leaseMarginMs = 1_000;

const identity = { origin: 'https://api.example', shop: 'shop' };

/** Possible moves of a process; anything else may happen between two of its moves. */
export function processMoves(state: State, index: number, frame: Frame): Move<State>[] {
  const process = state.processes[index];
  if (process === undefined) return [];
  const turn = <Kind extends At>(at: Kind) => ({ ...frame, state, index, process, at });
  const { at } = process;
  switch (at.kind) {
    case 'idle':
      return state.rewards.flatMap((_, reward) => beginnings(turn(at), reward));
    case 'recovering':
      return [recovering(turn(at))];
    case 'asking':
      return [asking(turn(at))];
    case 'looked-up':
      return [lookingUp(turn(at))];
    case 'listing':
      return [listing(turn(at), at.reward)];
    case 'seeing':
      return [seeing(turn(at))];
    case 'claiming':
      return [claiming(turn(at))];
    case 'claimed':
      return [lastLook(turn(at))];
    case 'ready':
      return [calling(turn(at), at)];
    case 'waiting':
      return [givingUp(turn(at))];
    case 'answered':
      return [noting(turn(at))];
    case 'telling':
      return telling(turn(at));
    case 'sent':
      return [notingTold(turn(at))];
    case 'answering':
      return answering(turn(at));
    case 'found':
      return [resolving(turn(at))];
  }
}

function go({ state, index, process }: Turn, words: string, at: At, breach?: string): Move<State> {
  return { words: `${process.name} ${words}`, next: withProcess(state, index, at), breach };
}

function beginnings(turn: TurnAt<'idle'>, reward: number): Move<State>[] {
  switch (turn.process.kind) {
    case 'poller':
      return [beginPoll(turn, reward)];
    case 'webhook':
      return [beginWebhook(turn, reward)];
    case 'person':
      return findings(turn, reward);
  }
}

function beginPoll(turn: Turn, reward: number): Move<State> {
  const { entry } = rewardAt(turn.state, reward).row;
  if (entry === undefined || (entry.payment !== 'paying' && entry.payment !== 'unknown'))
    return listing(turn, reward);
  const isOwnerAlive = aliveness(turn, entry);
  const evidence = isOwnerAlive === true ? none : evidenceOf(turn, reward, entry);
  const at = { kind: 'recovering', reward, attempt: entry.attempt, evidence, isOwnerAlive } as const;
  return go(turn, `looks for what call ${entry.attempt} of reward ${reward} left: ${evidence.kind}`, at);
}

const none: RecoveredOutcome = { kind: 'none' };

function aliveness({ state, setting }: Turn, { call }: LedgerEntry): boolean | undefined {
  if (call === null) return false;
  return setting.isOwnerKnown
    ? state.processes.some((process) => ownerOf(process) === call.owner)
    : undefined;
}

function evidenceOf({ state, setting }: Turn, reward: number, { attempt }: LedgerEntry): RecoveredOutcome {
  if (!setting.leavesEvidence) return none;
  const { calls, evidence } = rewardAt(state, reward).books;
  if (calls.some((call) => call.attempt === attempt)) return { kind: 'running', message: 'process 7' };
  return evidence?.attempt === attempt ? { kind: evidence.kind } : none;
}

function recovering(turn: TurnAt<'recovering'>): Move<State> {
  const { state, at, protocol, setting } = turn;
  const { reward, attempt, evidence, isOwnerAlive } = at;
  const step = protocol.recover(attempt, evidence, { isOwnerAlive, capabilities: setting.capabilities });
  const { state: next, entry, reason, breach } = changeLedger(state, reward, step, turn);
  const isUnderWay = reason?.kind === 'under-way';
  const isAsked = entry?.payment === 'unknown' && setting.hasLookup;
  const then: At = isUnderWay
    ? idle
    : isAsked
      ? { kind: 'asking', reward, attempt: entry.attempt }
      : { kind: 'listing', reward };
  return go({ ...turn, state: next }, `recovers reward ${reward}: ${entry?.payment}`, then, breach);
}

function asking(turn: TurnAt<'asking'>): Move<State> {
  const { state, at } = turn;
  const { row, books } = rewardAt(state, at.reward);
  const answer: LookupAnswer = { kind: isInBooks(books, row.entry?.terms?.key) ? 'paid' : 'not-found' };
  const askedAtMs = msOf(state.world.tick) + at.attempt;
  return go(turn, `looks reward ${at.reward} up: ${answer.kind}`, {
    ...at,
    kind: 'looked-up',
    answer,
    askedAtMs,
  });
}

function lookingUp(turn: TurnAt<'looked-up'>): Move<State> {
  const { state, at, protocol, setting } = turn;
  const { reward, attempt, answer, askedAtMs } = at;
  const step = protocol.recordLookup(attempt, answer, { capabilities: setting.capabilities, askedAtMs });
  const { state: next, entry, breach } = changeLedger(state, reward, step, turn);
  return go(
    { ...turn, state: next },
    `notes what it looked up: ${entry?.payment}`,
    { kind: 'listing', reward },
    breach,
  );
}

/** A reward as the service shows it. */
export function observation({ state }: { readonly state: State }, reward: number): Observation {
  const { status, amount } = rewardAt(state, reward).shown;
  const atMs = msOf(state.world.tick);
  return { atMs, run: 'run', status, amount, memberOriginId: 'M1', document: '{}' };
}

/** The list has queued rewards only; decided ones are reported in any case. */
function listing(turn: Turn, reward: number): Move<State> {
  const seen = observation(turn, reward);
  if (seen.status === 'QUEUED') return go(turn, `lists reward ${reward}`, { kind: 'seeing', reward, seen });
  const { entry } = rewardAt(turn.state, reward).row;
  return go(turn, `finds reward ${reward} not waiting`, afterwards(turn, reward, entry));
}

/** A webhook call is not signed and may carry any amount, so the service is asked. */
function beginWebhook(turn: Turn, reward: number): Move<State> {
  const shown = observation(turn, reward);
  const { entry } = rewardAt(turn.state, reward).row;
  if (isDecided(entry)) return go(turn, `is called for reward ${reward}`, afterwards(turn, reward, entry));
  const seen = turn.protocol.verified({ ...shown, status: 'QUEUED', amount: amounts.forged }, shown);
  const at: At =
    seen === undefined ? { kind: 'answering', reward, word: undefined } : { kind: 'seeing', reward, seen };
  return go(turn, `is called for reward ${reward} and asks the service`, at);
}

function seeing(turn: TurnAt<'seeing'>): Move<State> {
  const { state, at, protocol } = turn;
  const { reward, seen } = at;
  const { state: next, breach } = changeLedger(state, reward, protocol.observe(`R${reward}`, seen), turn);
  return go({ ...turn, state: next }, `notes reward ${reward}`, { kind: 'claiming', reward }, breach);
}

function claiming(turn: TurnAt<'claiming'>): Move<State> {
  const { state, at, protocol, setting, process } = turn;
  const { reward } = at;
  const run = ownerOf(process);
  const nowMs = msOf(state.world.tick);
  const policy = policyOf(setting);
  const { capabilities } = setting;
  const caps = capsOn(policy, { run, memberOriginId: 'M1', nowMs }).filter(({ amount }) => amount !== null);
  const leaseMs = setting.hasBatch ? null : setting.leaseTicks * tickMs - leaseMarginMs;
  const step = protocol.claim({ identity, run, owner: run, leaseMs, policy, capabilities, caps });
  const { state: next, entry, reason, breach } = changeLedger(state, reward, step, turn);
  if (reason !== undefined || entry === undefined || entry.terms === null) {
    return go(
      turn,
      `does not claim reward ${reward}: ${reason?.kind}`,
      afterwards(turn, reward, entry),
      breach,
    );
  }
  if (entry.attempt > setting.attempts) return go(turn, `has called for reward ${reward} often enough`, idle);
  const { key, amount } = entry.terms;
  const call = { attempt: entry.attempt, key, amount };
  return go({ ...turn, state: next }, `claims reward ${reward}`, { kind: 'claimed', reward, call }, breach);
}

function lastLook(turn: TurnAt<'claimed'>): Move<State> {
  const { state, at, protocol, setting, process } = turn;
  const { reward, call } = at;
  const { attempt } = call;
  const fenced = fence(turn);
  if (fenced === undefined) {
    const answer = { kind: 'retry', message: 'not the ledger in use' } as const;
    return go(turn, 'finds that its ledger is not the one in use', {
      kind: 'answered',
      reward,
      attempt,
      answer,
    });
  }
  if (setting.hasBatch) return calling({ ...turn, state: fenced }, at);
  const look = { attempt, owner: ownerOf(process), nowMs: msOf(state.world.tick), timeoutMs };
  if (!protocol.mayCall(rewardAt(state, reward).row.entry, look)) {
    const answer = { kind: 'retry', message: 'suspended' } as const;
    return go(turn, `finds that its claim is over`, { kind: 'answered', reward, attempt, answer });
  }
  const passed = { ...turn, state: fenced };
  if (setting.isSuspendedBeforeCall) return go(passed, 'finds its claim in force', { ...at, kind: 'ready' });
  return calling(passed, at);
}

/** The state with the mark at this claim; undefined if the mark names an event that this ledger lacks. */
function fence({ state, process, protocol, setting }: Turn): State | undefined {
  const { world } = state;
  if (setting.second !== 'copy' || world.other === null || !protocol.isFenced()) return state;
  const own = process.hasSecond ? 'second' : 'original';
  if (world.marked !== 'both' && world.marked !== own) return undefined;
  return { ...state, world: { ...world, marked: own } };
}

function calling(
  turn: Turn,
  { reward, call }: Extract<At, { readonly kind: 'claimed' | 'ready' }>,
): Move<State> {
  const { state, index, setting } = turn;
  const { books, row } = rewardAt(state, reward);
  const breach = breachOfCall(state, { index, reward, call }, setting);
  const { tick } = state.world;
  const firstTick = Math.round(((row.entry?.firstCallAtMs ?? msOf(tick)) - msOf(0)) / tickMs);
  const next = withReward(state, reward, { books: withCall(books, call, { tick, firstTick, setting }) });
  // An export of payments does not wait for their results.
  const beganAtMs = msOf(tick) + call.attempt;
  const then: At = setting.hasBatch ? idle : { kind: 'waiting', reward, attempt: call.attempt, beganAtMs };
  return go({ ...turn, state: next }, `makes call ${call.attempt} for reward ${reward}`, then, breach);
}

function givingUp(turn: TurnAt<'waiting'>): Move<State> {
  const { state, at } = turn;
  const { reward, attempt } = at;
  const { books } = rewardAt(state, reward);
  const next = withReward(state, reward, { books: { ...books, isTroubled: true } });
  const answer = { kind: 'ambiguous', message: 'time-out' } as const;
  const then = { kind: 'answered', reward, attempt, answer } as const;
  return go({ ...turn, state: next }, `gives up waiting for call ${attempt}`, then);
}

function noting(turn: TurnAt<'answered'>): Move<State> {
  const { state, at, protocol, setting, process } = turn;
  const { reward, attempt, answer, beganAtMs } = at;
  if (protocol.firstAfter(answer) === 'tell' && (answer.kind === 'paid' || answer.kind === 'refused')) {
    return go(turn, 'goes on to tell', { kind: 'telling', reward, word: wordFor({ payment: answer.kind }) });
  }
  const step = protocol.answered(attempt, answer, setting.capabilities, beganAtMs);
  const { state: next, entry, breach } = changeLedger(state, reward, step, turn);
  const then = afterwards({ ...turn, state: next }, reward, entry);
  return go(
    { ...turn, state: next },
    `${process.kind} notes '${answer.kind}': ${entry?.payment}`,
    then,
    breach,
  );
}

/** The next step once a payment is decided or put off. */
function afterwards({ process, protocol }: Turn, reward: number, entry: LedgerEntry | undefined): At {
  const word = entry === undefined ? undefined : protocol.wordOf(entry);
  if (process.kind === 'poller') {
    const isToTell = word !== undefined && (entry?.report === 'pending' || entry?.report === 'sent');
    return isToTell ? { kind: 'telling', reward, word } : idle;
  }
  // Answering a webhook reports the outcome, so it is recorded first.
  return word === undefined || entry?.report !== 'pending'
    ? { kind: 'answering', reward, word }
    : { kind: 'sent', reward, telling: { kind: 'sent', status: word } };
}

function telling(turn: TurnAt<'telling'>): Move<State>[] {
  const { state, at } = turn;
  const { reward, word } = at;
  const { shown, row } = rewardAt(state, reward);
  const isTaken = shown.status === 'QUEUED' || shown.status === word;
  const isSame = word === 'CANCELLED' || shown.amount === row.entry?.terms?.amount;
  const arrived = arriving(state, reward, word, isTaken ? word : shown.status);
  const breach = breachOfWord(state, reward, word);
  const proof: ReportResult =
    isTaken && isSame
      ? { kind: 'confirmed', status: word }
      : { kind: 'conflict', message: 'the service differs' };
  const lost: At = { kind: 'sent', reward, telling: { kind: 'sent', status: word } };
  return [
    go(
      { ...turn, state: arrived },
      `tells ${word}: ${proof.kind}`,
      { kind: 'sent', reward, telling: proof },
      breach,
    ),
    go({ ...turn, state: arrived }, `tells ${word}, the reply is lost`, lost, breach),
    go(turn, `tells ${word}, which never arrives`, lost),
  ];
}

/** The service after it received a word. */
function arriving(state: State, reward: number, word: Word | undefined, status: Shown['status']): State {
  const { shown } = rewardAt(state, reward);
  const isToldUnpaid = shown.isToldUnpaid || word === 'CANCELLED';
  return withReward(state, reward, { shown: { ...shown, status, isToldUnpaid } });
}

function notingTold(turn: TurnAt<'sent'>): Move<State> {
  const { state, at, protocol, process } = turn;
  const { reward, telling: what } = at;
  const { state: next, entry, breach } = changeLedger(state, reward, protocol.tell(what), turn);
  const word = entry === undefined ? undefined : protocol.wordOf(entry);
  const then: At = process.kind === 'webhook' ? { kind: 'answering', reward, word } : idle;
  return go({ ...turn, state: next }, `notes that the service was told: ${entry?.report}`, then, breach);
}

/** An answer may change the status at once, later, or be lost. */
function answering(turn: TurnAt<'answering'>): Move<State>[] {
  const { state, at } = turn;
  const { reward, word } = at;
  const breach = word === undefined ? undefined : breachOfWord(state, reward, word);
  const { shown } = rewardAt(state, reward);
  const status = word === 'SUCCESS' ? 'SUCCESS' : 'FAILURE';
  const says = `answers ${word ?? 'that it is not paid'}`;
  const unchanged = arriving(state, reward, word, shown.status);
  const moves = [go({ ...turn, state: unchanged }, says, idle, breach)];
  if (shown.status !== 'QUEUED') return moves;
  const changed = arriving(state, reward, word, status);
  return [...moves, go({ ...turn, state: changed }, `${says}, which the service takes`, idle, breach)];
}

/** A person finds out the truth, if it is certain: a payment, or nothing outstanding. */
function findings(turn: Turn, reward: number): Move<State>[] {
  const { row, books } = rewardAt(turn.state, reward);
  const { entry } = row;
  if (entry === undefined || entry.payment !== 'unknown') return [];
  const found = (finding: Extract<At, { readonly kind: 'found' }>['finding']) =>
    go(turn, `finds reward ${reward} ${finding.kind}`, {
      kind: 'found',
      reward,
      attempt: entry.attempt,
      finding,
    });
  if (effectsOf(books) > 0) return [found({ kind: 'paid', ref: 'T1' })];
  if (!isProvablyUnpaid(books)) return [];
  return [found({ kind: 'not-paid', reason: 'asked' }), found({ kind: 'refused', reason: 'asked' })];
}

function resolving(turn: TurnAt<'found'>): Move<State> {
  const { state, at, protocol, setting } = turn;
  const { reward, attempt, finding } = at;
  const step = protocol.resolve(attempt, finding, setting.capabilities);
  const { state: next, entry, breach } = changeLedger(state, reward, step, turn);
  return go({ ...turn, state: next }, `resolves reward ${reward}: ${entry?.payment}`, idle, breach);
}
