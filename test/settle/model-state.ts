import type { Money } from '../../src/base/money.ts';
import type {
  LookupAnswer,
  PayerAnswer,
  PayerCapabilities,
  RecoveredOutcome,
} from '../../src/payer/payer.ts';
import type { Policy } from '../../src/settle/rules/policy.ts';
import type { ManualOutcome, ReportResult } from '../../src/settle/rules/transitions.ts';
import type { Budget, LedgerEntry, Observation } from '../../src/store/ledger/ledger.ts';
import { openPolicy } from './open-policy.ts';

/*
 * The small world in which the model settles rewards: a ledger, processes, a payer, a service, a person and a clock. Only the ledger's
 * entries and budgets are what production has; everything around them is as bad as it may be.
 */

/** What of the world is there, and how much of it may happen. */
export interface Setting {
  readonly name: string;
  readonly capabilities: PayerCapabilities;
  /** Whether what a call said is left behind for a later process (exec payers). */
  readonly leavesEvidence: boolean;
  readonly hasLookup: boolean;
  /** Whether a process can tell that another one is dead; else only its lease tells. */
  readonly isOwnerKnown: boolean;
  /** Whether a process may be suspended between its last look at the ledger and its call. */
  readonly isSuspendedBeforeCall: boolean;
  readonly leaseTicks: number;
  readonly rewards: number;
  readonly pollers: number;
  readonly webhooks: number;
  readonly hasOperator: boolean;
  readonly isFrozenAtTimes: boolean;
  /** Whether a person may once lose the ledger and restore its first backup. */
  readonly isRestored: boolean;
  /** Which other ledger there may once be; the last poller settles by it. */
  readonly second: SecondLedger;
  /** Whether payments are handed over in a file, whose results a person imports; the person may sort one of its columns. */
  readonly hasBatch: boolean;
  /** For so many rewards, the first ones, the payer never answers. */
  readonly poisoned: number;
  readonly changesAmount: boolean;
  readonly capPerDay: Money;
  /** Null for runs without a cap, whose budgets are then left out. */
  readonly capPerRun: Money | null;
  /** How often time moves on, how many processes are killed, and how many calls of one reward are begun, at most. */
  readonly ticks: number;
  readonly crashes: number;
  readonly attempts: number;
}

/**
 * A copy on the same machine, which knows the same mark; a copy on another machine, which does not; or an empty one, made where the service is
 * known by another address. A hard link is a copy as well, since SQLite keeps what is new beside each name.
 */
export type SecondLedger = 'none' | 'copy' | 'elsewhere' | 'other-address';

/** Longer than an observation is fresh, so that every tick makes all of them stale. */
export const tickMs = 61_000;
/** Less than half a tick, as long as the process has for the call itself. */
export const timeoutMs = 30_000;
/** The Korean day ends between the first tick and the second. */
const firstTickMs = Date.UTC(2026, 0, 1, 15) - 1.5 * tickMs;

export function msOf(tick: number): number {
  return firstTickMs + tick * tickMs;
}

export const amounts = { first: 10_000_000n, changed: 20_000_000n, forged: 15_000_000n } as const;

export function policyOf({ capPerDay, capPerRun }: Setting): Policy {
  return { ...openPolicy, maxPerDay: capPerDay, maxPerRun: { amount: capPerRun, count: null } };
}

export interface State {
  readonly world: World;
  readonly budgets: readonly Budget[];
  readonly rewards: readonly RewardState[];
  readonly processes: readonly Process[];
}

export interface World {
  readonly tick: number;
  readonly crashes: number;
  readonly isFrozen: boolean;
  /** Whether the ledger was restored, and a person has not unfrozen it yet. */
  readonly restored: 'never' | 'frozen' | 'done';
  /** The ledger that a process settles by which is not the one in `rewards` and `budgets`, once there is a copy. */
  readonly other: OtherLedger | null;
  /** Which of both holds the event that the mark outside of them names; of two machines, which one is in use. */
  readonly marked: 'both' | 'original' | 'second';
}

export interface OtherLedger {
  readonly rows: readonly Row[];
  readonly budgets: readonly Budget[];
}

export interface RewardState {
  readonly row: Row;
  readonly books: Books;
  readonly shown: Shown;
}

/** A reward in the ledger, once it was seen. */
export interface Row {
  readonly entry?: LedgerEntry;
}

/** What is true of the money of a reward, known to the payer alone. */
export interface Books {
  /** Calls that have left and may still land. */
  readonly calls: readonly OutstandingCall[];
  readonly keys: readonly KeyRecord[];
  /** What the last call left behind. */
  readonly evidence: { readonly attempt: number; readonly kind: 'paid' | 'refused' } | null;
  /** Whether a call was ever killed, suspended or without answer. */
  readonly isTroubled: boolean;
}

export interface OutstandingCall {
  readonly key: string;
  readonly amount: Money;
  readonly attempt: number;
  /** From this tick on it cannot land any more; null for never. */
  readonly endTick: number | null;
}

export interface KeyRecord {
  readonly key: string;
  /** When the payer first heard of the key, after it had forgotten it last. */
  readonly firstTick: number;
  readonly answer: 'paid' | 'refused';
  /** How often it moved money. */
  readonly effects: number;
}

/** What the service has of a reward. */
export interface Shown {
  readonly status: 'QUEUED' | 'SUCCESS' | 'CANCELLED' | 'FAILURE';
  readonly amount: Money;
  /** What it showed when the tick began: a fresh observation may be that old. */
  readonly before: { readonly status: string; readonly amount: Money };
  /** Whether it was ever told that the reward was not paid. */
  readonly isToldUnpaid: boolean;
}

export interface Process {
  readonly kind: 'poller' | 'webhook' | 'person';
  /** One letter, and how often it was killed before: another life is another owner. */
  readonly name: string;
  readonly life: number;
  /** Whether it settles by the second ledger; left out where not. */
  readonly hasSecond?: true;
  readonly at: At;
}

/** A process at work on one reward, and what else it has in its memory. */
type AtWork<Kind extends string, Memory = unknown> = Kind extends string
  ? { readonly kind: Kind; readonly reward: number } & Readonly<Memory>
  : never;

/** Where a process is between two durable steps; `ready` has looked at the ledger for the last time. */
export type At =
  | { readonly kind: 'idle' }
  | AtWork<'recovering', { attempt: number; evidence: RecoveredOutcome; isOwnerAlive: boolean | undefined }>
  | AtWork<'asking', { attempt: number }>
  | AtWork<'looked-up', { attempt: number; answer: LookupAnswer; askedAtMs: number }>
  | AtWork<'listing' | 'claiming'>
  | AtWork<'seeing', { seen: Observation }>
  | AtWork<'claimed' | 'ready', { call: PlannedCall }>
  | AtWork<'waiting', { attempt: number; beganAtMs: number }>
  /** `beganAtMs` is of a call that left. */
  | AtWork<'answered', { attempt: number; answer: PayerAnswer; beganAtMs?: number }>
  | AtWork<'telling', { word: Word }>
  | AtWork<'sent', { telling: ReportResult }>
  | AtWork<'answering', { word: Word | undefined }>
  | AtWork<'found', { attempt: number; finding: ManualOutcome }>;

export type Word = 'SUCCESS' | 'CANCELLED';

export interface PlannedCall {
  readonly attempt: number;
  readonly key: string;
  readonly amount: Money;
}

export const idle: At = { kind: 'idle' };

export function initialState({ rewards, pollers, webhooks, hasOperator, second }: Setting): State {
  const waiting = { status: 'QUEUED', amount: amounts.first } as const;
  const kinds = [
    ...Array.from({ length: pollers }, () => 'poller' as const),
    ...Array.from({ length: webhooks }, () => 'webhook' as const),
    ...(hasOperator ? (['person'] as const) : []),
  ];
  return {
    world: { tick: 0, crashes: 0, isFrozen: false, restored: 'never', other: null, marked: 'both' },
    budgets: [],
    rewards: Array.from({ length: rewards }, () => ({
      row: {},
      books: { calls: [], keys: [], evidence: null, isTroubled: false },
      shown: { ...waiting, before: waiting, isToldUnpaid: false },
    })),
    processes: kinds.map((kind, index) => ({
      kind,
      name: 'ABCDE'.charAt(index),
      life: 0,
      ...(second !== 'none' && index === pollers - 1 ? ({ hasSecond: true } as const) : {}),
      at: idle,
    })),
  };
}

export function ownerOf({ name, life }: Process): string {
  return `${name}${life}`;
}

export function rewardAt(state: State, reward: number): RewardState {
  const found = state.rewards[reward];
  if (found === undefined) throw new Error(`the model has no reward ${reward}`);
  return found;
}

export function withReward(state: State, reward: number, changes: Partial<RewardState>): State {
  return { ...state, rewards: state.rewards.with(reward, { ...rewardAt(state, reward), ...changes }) };
}

export function withProcess(state: State, index: number, at: At): State {
  const process = state.processes[index];
  if (process === undefined) throw new Error(`the model has no process ${index}`);
  return { ...state, processes: state.processes.with(index, { ...process, at }) };
}

/** How often money was moved for a reward. */
export function effectsOf({ keys }: Books): number {
  return keys.reduce((sum, { effects }) => sum + effects, 0);
}

/** Whether an entry is settled as far as money goes. */
export function isDecided(entry: LedgerEntry | undefined): boolean {
  return entry?.payment === 'paid' || entry?.payment === 'refused';
}

/** The state in parts of which most moves change one or two. */
export function partsOf({ world, budgets, rewards, processes }: State): readonly object[] {
  return [world, budgets, ...rewards.flatMap(({ row, books, shown }) => [row, books, shown]), ...processes];
}

/** The inverse of `partsOf` for states of a setting. */
export function stateOf(parts: readonly object[], { rewards }: Setting): State {
  const [world, budgets, ...others] = parts;
  return {
    world: world as World,
    budgets: budgets as readonly Budget[],
    rewards: Array.from({ length: rewards }, (_, index) => {
      const [row, books, shown] = others.slice(3 * index);
      return { row: row as Row, books: books as Books, shown: shown as Shown };
    }),
    processes: others.slice(3 * rewards) as Process[],
  };
}
