import type { Clock } from '../../base/clock.ts';
import { IdNumbers } from '../../base/id-set.ts';
import { flatten } from '../../base/lists.ts';
import type { Payer } from '../../payer/payer.ts';
import type { EntryFilter, Ledger, LedgerEntry } from '../../store/ledger/ledger.ts';
import { isListed } from '../rules/listed-observation.ts';
import type { SettledReward } from './settle-reward.ts';
import type { Settlement } from './settlement.ts';

/**
 * The maximum number of jumps to another place in a run. After each jump, the run reads the passed-over rewards again.
 */
const jumpsMaximum = 64;

interface TurnOptions {
  /** The number of rewards that this run has listed. */
  readonly listed: number;
  /** Checked before each turn. */
  readonly mayContinue: () => boolean;
}

export type SettleTurns = ReturnType<typeof createSettleTurns>;

/** Creates the order of the rewards in one run. Read each stream to its end before the next. */
export function createSettleTurns(
  settlement: Pick<Settlement, 'run' | 'beganMs' | 'random'> & {
    readonly ledger: Pick<Ledger, 'entries' | 'find'>;
  },
  { listed, mayContinue }: TurnOptions,
) {
  const { ledger, run, random } = settlement;
  const firstTurn = createFirstTurns();
  /**
   * The turns in `leftovers`, which reads twice: meanwhile, another process may decide a reward, or this run may be
   * reporting it.
   */
  const lastTurn = createFirstTurns();
  /** Rewards whose report failed. A run reports once. */
  const unconfirmed = new Set<string>();
  /** Rewards of other runs. They are few: a run that meets another one continues elsewhere. */
  const busyRewards = new Set<string>();
  async function* read(filter: EntryFilter): AsyncGenerator<LedgerEntry> {
    for await (const entry of flatten(ledger.entries(filter))) {
      if (!mayContinue()) return;
      yield entry;
    }
  }
  /** Rewards that other runs were settling when this run met them. */
  async function* busy(): AsyncGenerator<LedgerEntry> {
    for (const rewardId of busyRewards) {
      const entry = await ledger.find(rewardId);
      if (entry === undefined || entry.payment === 'unknown') continue;
      if (!mayContinue()) return;
      lastTurn(rewardId);
      yield entry;
    }
  }
  return {
    /** Rewards that are paid or refused but not confirmed. They are reported whatever the payer does later. */
    decided: async function* () {
      yield* read({ seenByRun: run, payment: decidedStates });
      for await (const entry of read({ payment: decidedStates, report: ['pending', 'sent', 'conflict'] })) {
        if (entry.seen.run !== run) yield entry;
      }
    },
    /**
     * Rewards without a call in doubt, by id. A run that meets another one jumps to a random place further down, and
     * later returns to what it passed over. Otherwise, both would keep trying the same rewards in turn.
     */
    open: async function* () {
      let ahead = listed;
      let known = 0;
      let jumps = 0;
      for (let isPassedOver = true; isPassedOver; ) {
        isPassedOver = false;
        let skipped = 0;
        for await (const entry of read({ payment: ['intended'] })) {
          if (!isListed(entry, settlement)) continue;
          if (skipped > 0) {
            isPassedOver = true;
            skipped -= 1;
          } else if (firstTurn(entry.rewardId)) {
            ahead -= 1;
            yield entry;
            if (busyRewards.size > known && jumps < jumpsMaximum) {
              known = busyRewards.size;
              jumps += 1;
              skipped = Math.floor(random() * ahead);
            }
          }
        }
      }
    },
    busy,
    /** Rewards that other runs were settling, or have listed since, or have decided and not reported. */
    leftovers: async function* () {
      yield* busy();
      for await (const entry of read({ payment: ['intended', 'paying'] })) {
        const isNew = entry.payment === 'paying' || isListed(entry, settlement);
        if (isNew && firstTurn(entry.rewardId) && lastTurn(entry.rewardId)) yield entry;
      }
      for await (const entry of read({ payment: decidedStates, report: ['pending', 'sent'] })) {
        if (!unconfirmed.has(entry.rewardId) && lastTurn(entry.rewardId)) yield entry;
      }
    },
    /**
     * Rewards that an earlier call may have paid, those with the fewest calls first, so that no reward blocks the
     * others. A stopped run yields all of them, because each run reports what is unknown.
     */
    inDoubt: async function* () {
      const entries: LedgerEntry[] = [];
      for await (const entry of flatten(ledger.entries({ payment: ['unknown'] }))) entries.push(entry);
      yield* entries.sort(byCalls);
    },
    /** Records that this reward has had its turn, so `open` and `leftovers` omit it. */
    skip: (rewardId: string) => {
      firstTurn(rewardId);
    },
    /** Records that another process is settling this reward of `open`. */
    noteBusy: (rewardId: string) => {
      busyRewards.add(rewardId);
    },
    note: ({ outcome: { rewardId, outcome, report } }: SettledReward) => {
      if ((outcome === 'paid' || outcome === 'refused') && report === 'sent') unconfirmed.add(rewardId);
    },
  };
}

const decidedStates = ['paid', 'refused'] as const;

/** The order of rewards in doubt: by number of calls, then by age of the last call that may have paid. */
export function byCalls(
  one: Pick<LedgerEntry, 'attempt' | 'lastCallAtMs'>,
  other: Pick<LedgerEntry, 'attempt' | 'lastCallAtMs'>,
): number {
  return one.attempt - other.attempt || (one.lastCallAtMs ?? 0) - (other.lastCallAtMs ?? 0);
}

/**
 * Returns true the first time a reward gets a turn. Two ids with the same hash share a turn: the second one waits for
 * the next run.
 */
export function createFirstTurns(): (rewardId: string) => boolean {
  const turns = new IdNumbers();
  return (rewardId) => turns.put(rewardId, () => 1) === undefined;
}

/** The time for which a call in doubt counts against the payer, in milliseconds. */
const recentMs = 60 * 60 * 1000;

/** The rewards recently left in doubt by the payer. */
export async function recentlyInDoubt({
  ledger,
  payer,
  clock,
}: {
  readonly ledger: Pick<Ledger, 'entries'>;
  readonly payer: Pick<Payer, 'capabilities'>;
  readonly clock: Pick<Clock, 'now'>;
}): Promise<ReadonlySet<string>> {
  const sinceMs = clock.now() - recentMs;
  const rewardIds = new Set<string>();
  for await (const entry of flatten(ledger.entries({ payment: ['unknown'] }))) {
    const isRecent = entry.payer === payer.capabilities.name && (entry.lastCallAtMs ?? 0) > sinceMs;
    if (isRecent) rewardIds.add(entry.rewardId);
  }
  return rewardIds;
}
