import type { Clock } from '../../base/clock.ts';
import { textHashHalves } from '../../base/text-hash.ts';
import { IdHashes } from '../../input/ids/id-hashes.ts';
import type { Payer } from '../../payer/payer.ts';
import type { EntryFilter, Ledger, LedgerEntry, PaymentState } from '../../store/ledger/ledger.ts';
import type { SettledReward } from './settle-reward.ts';
import type { Settlement } from './settlement.ts';

/** The order of the rewards in one run. Each stream is to be read to its end before the next. */
export interface SettleTurns {
  /** Rewards that are paid or refused but not confirmed: these are reported whatever the payer does later. */
  decided(): AsyncGenerator<LedgerEntry>;
  /** Rewards without a call in doubt. */
  open(): AsyncGenerator<LedgerEntry>;
  /**
   * Rewards that a call may have paid, by the age of their last call, so that none keeps the others from
   * their turn. A stopped run yields all of them, because each run reports what is unknown.
   */
  inDoubt(): AsyncGenerator<LedgerEntry>;
  note(settled: SettledReward): void;
}

/** `mayContinue` is checked before each turn; `beganMs` is the instant at which the run began. */
export function createSettleTurns(
  { ledger, run }: Pick<Settlement, 'run'> & { readonly ledger: Pick<Ledger, 'entries'> },
  { beganMs, mayContinue }: { readonly beganMs: number; readonly mayContinue: () => boolean },
): SettleTurns {
  const firstTurn = createFirstTurns();
  /** Rewards whose report failed: one attempt per run. */
  const unconfirmed = new Set<string>();
  async function* read(filter: EntryFilter): AsyncGenerator<LedgerEntry> {
    for await (const page of ledger.entries(filter)) {
      for (const entry of page) {
        if (!mayContinue()) return;
        yield entry;
      }
    }
  }
  /** Includes rewards that another process has decided meanwhile, but not reported. */
  const isOpen = ({ rewardId, payment, report }: LedgerEntry) =>
    isDecided(payment)
      ? (report === 'pending' || report === 'sent') && !unconfirmed.has(rewardId)
      : payment !== 'unknown';
  /**
   * Rewards that another process has observed again are not in the list of this run. Some of them were found in an
   * earlier page of it, and had their turn.
   */
  async function* observedByOthers(): AsyncGenerator<LedgerEntry> {
    for await (const page of ledger.entries({ payment: ['intended', 'paying'] })) {
      for (const entry of page) {
        if (!mayContinue()) return;
        const { rewardId, payment, seen } = entry;
        const isWaiting = seen.status === 'QUEUED' && seen.atMs >= beganMs;
        if (seen.run === run || (payment !== 'paying' && !isWaiting)) continue;
        if (firstTurn(rewardId)) yield entry;
      }
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
        firstTurn(entry.rewardId);
        yield entry;
      }
      yield* observedByOthers();
    },
    inDoubt: async function* () {
      const entries: LedgerEntry[] = [];
      for await (const page of ledger.entries({ payment: ['unknown'] })) entries.push(...page);
      yield* entries.sort((one, other) => (one.lastCallAtMs ?? 0) - (other.lastCallAtMs ?? 0));
    },
    note: ({ outcome: { rewardId, outcome, report } }) => {
      if ((outcome === 'paid' || outcome === 'refused') && report === 'sent') unconfirmed.add(rewardId);
    },
  };
}

/**
 * Whether a reward has its first turn. Two ids with the same hash share one, so the second has its turn in the next
 * run.
 */
function createFirstTurns(): (rewardId: string) => boolean {
  const hashes = new IdHashes();
  const halves = new Uint32Array(2);
  return (rewardId) => {
    textHashHalves(rewardId, halves);
    return hashes.add(halves[0] ?? 0, halves[1] ?? 0);
  };
}

function isDecided(payment: PaymentState): boolean {
  return payment === 'paid' || payment === 'refused';
}

/** How long a call in doubt counts against the payer, in milliseconds. */
const recentMs = 60 * 60 * 1000;

/** The rewards that the payer recently left in doubt. */
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
  for await (const page of ledger.entries({ payment: ['unknown'] })) {
    for (const entry of page) {
      const isRecent = entry.payer === payer.capabilities.name && (entry.lastCallAtMs ?? 0) > sinceMs;
      if (isRecent) rewardIds.add(entry.rewardId);
    }
  }
  return rewardIds;
}
