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
 * The small world in which the model settles rewards: a ledger, processes, a payer, a service, a person and a clock.
 * Only the entries and budgets of the ledger are those of production; everything else behaves as badly as it may.
 */

/** The parts of the world, and bounds on its events. */
export interface Setting {
  readonly name: string;
  readonly capabilities: PayerCapabilities;
  /** True if the answer of a call is left for a later process (exec payers). */
  readonly leavesEvidence: boolean;
  readonly hasLookup: boolean;
  /** True if a process can detect that another one is dead; otherwise only its lease ends. */
  readonly isOwnerKnown: boolean;
  /** True if a process may be suspended between its last check of the ledger and its call. */
  readonly isSuspendedBeforeCall: boolean;
  readonly leaseTicks: number;
  readonly rewards: number;
  readonly pollers: number;
  readonly webhooks: number;
  readonly hasOperator: boolean;
  readonly isFrozenAtTimes: boolean;
  /** True if a person may once lose the ledger and restore its first backup. */
  readonly isRestored: boolean;
  /** A second ledger that may be created once; the last poller settles by it. */
  readonly second: SecondLedger;
  /**
   * True if payments are exported to a file, and a person imports the results. The person may sort one of its columns.
   */
  readonly hasBatch: boolean;
  /** The payer never answers for this number of rewards, the first ones. */
  readonly poisoned: number;
  readonly changesAmount: boolean;
  readonly capPerDay: Money;
  /** Null for runs without a cap, whose budgets are then omitted. */
  readonly capPerRun: Money | null;
  /** Upper bounds of time steps, of killed processes, and of calls for one reward. */
  readonly ticks: number;
  readonly crashes: number;
  readonly attempts: number;
}

/**
 * A copy on the same machine, which shares the mark; a copy on another machine, which does not; or an empty ledger,
 * created for another address of the service. A hard link is a copy as well, because SQLite keeps a WAL beside each
 * name.
 */
export type SecondLedger = 'none' | 'copy' | 'elsewhere' | 'other-address';

/** Longer than an observation is fresh, so that every tick makes all observations stale. */
export const tickMs = 61_000;
/** Less than half a tick; the time that a process has for the call itself. */
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
  /** `frozen` after a restore, until a person unfreezes the ledger. */
  readonly restored: 'never' | 'frozen' | 'done';
  /** The ledger besides the one in `rewards` and `budgets`, once a process uses a second one. */
  readonly other: OtherLedger | null;
  /** The ledger with the event that the mark outside names; with two machines, the ledger in use. */
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

/** A reward in the ledger, once it was observed. */
export interface Row {
  readonly entry?: LedgerEntry;
}

/** The true payments of a reward, known to the payer only. */
export interface Books {
  /** Calls that have left and may still arrive. */
  readonly calls: readonly OutstandingCall[];
  readonly keys: readonly KeyRecord[];
  /** The answer that the last call left behind. */
  readonly evidence: { readonly attempt: number; readonly kind: 'paid' | 'refused' } | null;
  /** True once a call was killed, suspended or without answer. */
  readonly isTroubled: boolean;
}

export interface OutstandingCall {
  readonly key: string;
  readonly amount: Money;
  readonly attempt: number;
  /** The first tick at which it can no longer arrive; null for never. */
  readonly endTick: number | null;
}

export interface KeyRecord {
  readonly key: string;
  /** The tick at which the payer first received the key since it last forgot it. */
  readonly firstTick: number;
  readonly answer: 'paid' | 'refused';
  /** Number of times that it moved money. */
  readonly effects: number;
}

/** The service's data about a reward. */
export interface Shown {
  readonly status: 'QUEUED' | 'SUCCESS' | 'CANCELLED' | 'FAILURE';
  readonly amount: Money;
  /** The data when the tick began; a fresh observation may be that old. */
  readonly before: { readonly status: string; readonly amount: Money };
  /** True once it received the word that the reward was not paid. */
  readonly isToldUnpaid: boolean;
}

export interface Process {
  readonly kind: 'poller' | 'webhook' | 'person';
  /** One letter. With `life`, the number of earlier kills, it is the name of an owner. */
  readonly name: string;
  readonly life: number;
  /** Present if it settles by the second ledger. */
  readonly hasSecond?: true;
  readonly at: At;
}

/** A process that handles one reward, with the rest of its memory. */
type AtWork<Kind extends string, Memory = unknown> = Kind extends string
  ? { readonly kind: Kind; readonly reward: number } & Readonly<Memory>
  : never;

/** The position of a process between two durable steps; `ready` is after its last check of the ledger. */
export type At =
  | { readonly kind: 'idle' }
  | AtWork<'recovering', { attempt: number; evidence: RecoveredOutcome; isOwnerAlive: boolean | undefined }>
  | AtWork<'asking', { attempt: number }>
  | AtWork<'looked-up', { attempt: number; answer: LookupAnswer; askedAtMs: number }>
  | AtWork<'listing' | 'claiming'>
  | AtWork<'seeing', { seen: Observation }>
  | AtWork<'claimed' | 'ready', { call: PlannedCall }>
  | AtWork<'waiting', { attempt: number; beganAtMs: number }>
  /** `beganAtMs` is set for a call that left. */
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

/** Number of times that money was moved for a reward. */
export function effectsOf({ keys }: Books): number {
  return keys.reduce((sum, { effects }) => sum + effects, 0);
}

/** True if the payment of an entry is decided. */
export function isDecided(entry: LedgerEntry | undefined): boolean {
  return entry?.payment === 'paid' || entry?.payment === 'refused';
}

/** The parts of a state; most moves change one or two of them. */
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
