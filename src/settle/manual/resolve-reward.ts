import type { PayerCapabilities } from '../../payer/payer.ts';
import type { Ledger, LedgerEntry } from '../../store/ledger/ledger.ts';
import { untouched } from '../../store/ledger/ledger-invariants.ts';
import { isBatch } from '../flow/entry-record.ts';
import { type Recovery, recoverReward } from '../flow/recover-rewards.ts';
import type { ObservedReward, RewardService } from '../flow/reward-service.ts';
import { lastEventOf } from '../flow/settlement.ts';
import { haveTermsChanged, noPayer } from '../rules/policy.ts';
import {
  importReward,
  type ManualOutcome,
  type NoChangeReason,
  type Reversal,
  resolve,
  reverse,
} from '../rules/transitions.ts';

/** The result of a person's finding: recorded, or the reason why not. */
export type RewardResolution =
  | { readonly kind: 'resolved'; readonly entry: LedgerEntry; readonly next: string }
  | { readonly kind: 'kept'; readonly entry: LedgerEntry | undefined; readonly why: string };

/** A person's finding about a reward. */
export type Finding = ManualOutcome | Reversal;

/**
 * The reason why a finding changes nothing, whatever process or payer still do; undefined if it may change something.
 */
export async function whyKept(
  { ledger }: Pick<Recovery, 'ledger'>,
  entry: LedgerEntry,
  finding: Finding,
): Promise<string | undefined> {
  const { payment } = entry;
  const why = await whyTakenBack(ledger, entry, finding);
  if (why !== undefined) return why;
  if (finding.kind !== 'reversed' && (payment === 'paying' || payment === 'unknown')) return undefined;
  if (payment === 'intended' && finding.kind === 'not-paid' && !haveTermsChanged(entry))
    return 'no call that could have paid it is open: the next settlement pays it';
  const facts = { entry, nowMs: 0, frozen: undefined, budget: untouched, lastEventAtMs: () => undefined };
  const decision = stepOf(entry, finding, noPayer)(facts);
  return decision.kind === 'no-change' ? decision.reason.message : undefined;
}

/** A payment can be reversed only once. */
async function whyTakenBack(
  ledger: Ledger,
  { rewardId }: LedgerEntry,
  { kind }: Finding,
): Promise<string | undefined> {
  const reversal = kind === 'reversed' ? await lastEventOf(ledger, rewardId, ['reversed']) : undefined;
  return reversal && 'it was taken back already';
}

function stepOf(read: LedgerEntry, finding: Finding, capabilities: PayerCapabilities) {
  return finding.kind === 'reversed' ? reverse(read, finding) : resolve(read.attempt, finding, capabilities);
}

/**
 * Records a person's finding about a reward. Recovers the reward first: a call whose process has ended becomes unknown,
 * or gets the outcome in its call records. Records nothing while the process or the payer may still act.
 */
export async function resolveReward(
  recovery: Recovery,
  found: LedgerEntry,
  finding: Finding,
): Promise<RewardResolution> {
  const { ledger, payer, run } = recovery;
  // An entry that was not paid when it was read cannot be reversed, whatever its call records show.
  const isReversal = finding.kind === 'reversed';
  const { entry, underWay } = isReversal ? { entry: found } : await recoverReward(recovery, found);
  if (underWay !== undefined && !isBatch(entry)) return { kind: 'kept', entry, why: underWay };
  const why = await whyKept(recovery, entry, finding);
  if (why !== undefined) return { kind: 'kept', entry, why };
  const step = stepOf(found, finding, payer.capabilities);
  const stepped = await ledger.change<NoChangeReason<string>>(entry.rewardId, step, { by: run });
  if (stepped.kind === 'changed')
    return { kind: 'resolved', entry: stepped.entry, next: nextOf(stepped.entry) };
  // Another person may have recorded the same reversal meanwhile.
  const taken = await whyTakenBack(ledger, entry, finding);
  return { kind: 'kept', entry: stepped.entry, why: taken ?? stepped.reason.message };
}

/**
 * Finds rewards that are not in the ledger but are shown by the service, by their ids. If one is listed several times,
 * the first is used: the payment needs an amount even if the terms differ.
 * @throws ServiceFailure; the reason of `stopping` once it is aborted, since rewards may be missing then.
 */
export async function findUnseen(
  service: Pick<RewardService, 'all' | 'canFindOne' | 'findAll'>,
  ids: readonly string[],
  stopping: AbortSignal,
): Promise<ReadonlyMap<string, ObservedReward>> {
  const found = service.canFindOne
    ? await service.findAll(new Map(ids.map((rewardId) => [rewardId, {}])), stopping)
    : await findFirst(service, ids);
  stopping.throwIfAborted();
  return found;
}

async function findFirst(
  service: Pick<RewardService, 'all'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ObservedReward>> {
  const found = new Map<string, ObservedReward>();
  const missing = new Set(ids);
  for await (const page of service.all()) {
    for (const reward of page) if (missing.delete(reward.rewardId)) found.set(reward.rewardId, reward);
    if (missing.size === 0) break;
  }
  return found;
}

/**
 * Records as paid a reward that no run has seen yet, with the terms that the service shows. The first run that sees it
 * only reports it.
 */
export async function resolveUnseen(
  { ledger, run }: Pick<Recovery, 'ledger' | 'run'>,
  { rewardId, seen }: ObservedReward,
  ref: string,
): Promise<RewardResolution> {
  const stepped = await ledger.change(rewardId, importReward(rewardId, seen, ref), { by: run });
  return stepped.kind === 'changed'
    ? {
        kind: 'resolved',
        entry: stepped.entry,
        next: 'if the service is waiting for it, SUCCESS is reported',
      }
    : { kind: 'kept', entry: stepped.entry, why: stepped.reason.message };
}

/** The consequence of a finding, for messages. */
function nextOf({ payment, report }: LedgerEntry): string {
  if (report === 'confirmed') return 'nothing: it stays as it is';
  if (payment === 'paid') return 'the next settlement reports SUCCESS';
  return payment === 'refused'
    ? 'the next settlement reports that it was not paid'
    : 'the next settlement pays it';
}
