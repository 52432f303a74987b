import type { EntryFilter, LedgerEntry, PaymentState } from '../../store/ledger/ledger.ts';
import type { SettledReward } from './settle-reward.ts';
import type { Settlement } from './settlement.ts';

/** In which order the rewards of one run have their turn. Each stream is to be read to its end before the next. */
export interface SettleTurns {
  /** What is paid or refused, and not confirmed: it is reported whatever the payer does later. */
  decided(): AsyncGenerator<LedgerEntry>;
  /** What no call was lost for. */
  open(): AsyncGenerator<LedgerEntry>;
  /**
   * What a call may have paid, the one that waited longest for another call first: none keeps the others from their turn. All of it, also where
   * the run does not go on: what is unknown is reported by every run.
   */
  inDoubt(): AsyncGenerator<LedgerEntry>;
  note(settled: SettledReward): void;
}

/** `isGoingOn` is asked before each turn; `beganMs` is the instant at which the run began. */
export function createSettleTurns(
  settlement: Settlement,
  { beganMs, isGoingOn }: { readonly beganMs: number; readonly isGoingOn: () => boolean },
): SettleTurns {
  const { ledger, run } = settlement;
  /** Given a turn that is not over. */
  const underWay = new Set<string>();
  /** Reported in vain: once in a run is enough. */
  const unconfirmed = new Set<string>();
  async function* read(filter: EntryFilter): AsyncGenerator<LedgerEntry> {
    for await (const page of ledger.entries(filter)) {
      for (const entry of page) {
        if (!isGoingOn()) return;
        yield entry;
      }
    }
  }
  /** Also what another process decided meanwhile, which remains to be reported. */
  const isOpen = ({ rewardId, payment, report }: LedgerEntry) =>
    isDecided(payment)
      ? (report === 'pending' || report === 'sent') && !unconfirmed.has(rewardId)
      : payment !== 'unknown';
  /** What another process saw again meanwhile is not among those of this run; it may have its turn all the same when a page of them is read. */
  async function* seenByOthers(): AsyncGenerator<LedgerEntry> {
    let inTurn = new Set(underWay);
    for await (const page of ledger.entries({ payment: ['intended', 'paying'] })) {
      for (const entry of page) {
        if (!isGoingOn()) return;
        const { rewardId, payment, seen } = entry;
        const isWaiting = seen.status === 'QUEUED' && seen.atMs >= beganMs;
        if (seen.run === run || inTurn.has(rewardId) || (payment !== 'paying' && !isWaiting)) continue;
        underWay.add(rewardId);
        yield entry;
      }
      inTurn = new Set(underWay);
    }
  }
  return {
    decided: async function* () {
      const payment = ['paid', 'refused'] as const;
      yield* read({ seenByRun: run, payment });
      for await (const entry of read({ payment, report: ['pending', 'sent', 'conflict'] })) {
        if (entry.seen.run !== run) yield entry;
      }
    },
    open: async function* () {
      for await (const entry of read({ seenByRun: run })) {
        if (!isOpen(entry)) continue;
        underWay.add(entry.rewardId);
        yield entry;
      }
      yield* seenByOthers();
    },
    inDoubt: async function* () {
      const entries: LedgerEntry[] = [];
      for await (const page of ledger.entries({ payment: ['unknown'] })) entries.push(...page);
      yield* entries.sort((one, other) => (one.lastCallAtMs ?? 0) - (other.lastCallAtMs ?? 0));
    },
    note: ({ outcome: { rewardId, outcome, report } }) => {
      underWay.delete(rewardId);
      if ((outcome === 'paid' || outcome === 'refused') && report === 'sent') unconfirmed.add(rewardId);
    },
  };
}

function isDecided(payment: PaymentState): boolean {
  return payment === 'paid' || payment === 'refused';
}

/** For how long a call in doubt speaks against the payer it was made to, in milliseconds. */
const recentMs = 60 * 60 * 1000;

/** The rewards that the payer left in doubt not long ago. */
export async function recentlyInDoubt({ ledger, payer, clock }: Settlement): Promise<ReadonlySet<string>> {
  const sinceMs = clock.now() - recentMs;
  const rewardIds = new Set<string>();
  for await (const page of ledger.entries({ payment: ['unknown'] })) {
    for (const entry of page) {
      const isRecent = entry.payer === payer.capabilities.name && (entry.lastCallAtMs ?? 0) > sinceMs;
      if (isRecent) rewardIds.add(entry.rewardId);
    }
  }
  return rewardIds;
}
