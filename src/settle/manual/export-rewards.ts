import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { flatten, mapConcurrently } from '../../base/lists.ts';
import type { Payment } from '../../payer/payer.ts';
import type { Ledger, LedgerEntry } from '../../store/ledger/ledger.ts';
import { isBatch } from '../flow/entry-record.ts';
import { claimFresh, type Refresh, unclaimed } from '../flow/pay-reward.ts';
import { type SettledReward, settledAs, unaddressableReward } from '../flow/settle-reward.ts';
import { frozenLedger } from '../flow/settle-rewards.ts';
import { createSettleTurns } from '../flow/settle-turns.ts';
import { lastEventOf, paymentOf, rewardOutcome, type Settlement } from '../flow/settlement.ts';
import { createRefresher, syncQueued } from '../flow/sync-queued.ts';
import { recordVanished } from '../flow/vanished-rewards.ts';
import { isDecided } from '../rules/policy.ts';

/**
 * Writes the payments of a batch. Once it resolves, the file is complete and durable; if it fails, there is no file.
 */
export type WriteBatch = (payments: AsyncIterable<readonly Payment[]>) => Promise<unknown>;

export interface BatchOptions {
  /** The name of the batch. It owns its payments until their outcome is imported. */
  readonly batch: string;
  readonly write: WriteBatch;
}

/** Concurrent claims. They share commits. */
const claimsAtOnce = 32;

/**
 * Hands rewards over to a person. A new batch claims every payable reward, under the same policy and caps as any
 * payment, and then writes the file. An interrupted batch, or one whose file is lost, claims nothing more and writes
 * the same file byte for byte. Yields held and vanished rewards first, then, once the file is written, the rewards
 * handed over.
 * @throws Failure('guard') if the ledger is frozen.
 * @throws Failure('refused') if the file of a batch can no longer be the same.
 * @throws errors of `write`. The batch is on record then, and exporting it again writes it.
 * @throws ServiceFailure, at the end, if rewards that are no longer listed could not be looked up;
 *   Failure('inconsistent-list'), at the end, if the list of the service lacks rewards.
 */
export async function* exportRewards(
  settlement: Settlement,
  { batch, write }: BatchOptions,
): AsyncGenerator<SettledReward> {
  const { ledger } = settlement;
  const { frozen } = await ledger.meta();
  if (frozen !== null) throw frozenLedger(frozen);
  const listFailure = (await isBegun(ledger, batch)) ? undefined : yield* claimBatch(settlement, batch);
  if (await isBegun(ledger, batch)) {
    await checkSame(ledger, batch);
    await write(paymentsOf(ledger, batch));
    for await (const entry of flatten(ledger.entries({ claimedBy: batch }))) {
      const why = entry.payment === 'paying' ? { reason: `handed over in ${batch}` } : {};
      yield { outcome: rewardOutcome(entry, why) };
    }
  }
  if (listFailure !== undefined) throw listFailure;
}

/** True if the batch has claimed anything. */
export async function isBegun(ledger: Ledger, batch: string): Promise<boolean> {
  for await (const page of ledger.entries({ claimedBy: batch })) return page.length > 0;
  return false;
}

/** Returns a failure if the list lacks rewards, or if rewards no longer listed could not be looked up. */
async function* claimBatch(
  settlement: Settlement,
  batch: string,
): AsyncGenerator<SettledReward, Failure | undefined> {
  const { stopping } = settlement;
  const { unaddressable, listed, shortage, isShown } = await syncQueued(settlement);
  yield* unaddressable.map(unaddressableReward);
  const turns = createSettleTurns(settlement, { listed, mayContinue: () => !stopping.aborted });
  const listFailure = yield* recordVanished(settlement, isShown, turns.skip);
  const refresh = createRefresher(settlement);
  const claims = mapConcurrently(turns.open(), { width: claimsAtOnce }, (entry) =>
    claimForBatch(settlement, entry, { batch, refresh }),
  );
  for await (const kept of claims) {
    if (kept !== undefined) yield kept;
  }
  return listFailure ?? shortage;
}

/** Claims a reward for a batch. Undefined if the batch has it now, or if its payment is decided. */
async function claimForBatch(
  settlement: Settlement,
  entry: LedgerEntry,
  { batch, refresh }: { readonly batch: string; readonly refresh: Refresh },
): Promise<SettledReward | undefined> {
  const stepped = await claimFresh(settlement, entry, { refresh, owner: { owner: batch, leaseMs: null } });
  const now = stepped.entry ?? entry;
  // Another machine may write the same batch meanwhile.
  if (stepped.kind === 'changed' || (isBatch(now) && now.call.owner === batch)) return undefined;
  const end = unclaimed(now, stepped.reason);
  return end.kind === 'unpaid' ? settledAs(end) : undefined;
}

async function* paymentsOf(ledger: Ledger, batch: string): AsyncGenerator<readonly Payment[]> {
  for await (const page of ledger.entries({ claimedBy: batch })) yield page.map(paymentOf);
}

/** Rejects a batch that lost a payment. It must not be handed out again: it may have another key or payer now. */
async function checkSame(ledger: Ledger, batch: string): Promise<void> {
  for await (const entry of flatten(ledger.entries({ claimedBy: batch }))) {
    if (await isOfBatch(ledger, entry, batch)) continue;
    throw new Failure(
      'refused',
      `the file of ${batch} cannot be written again: reward ${entry.rewardId} was resolved since, and no ` +
        'longer belongs to it',
      hint`use the earlier file without that reward; waiting rewards go into a new batch:
        ${reviewctl`rewards export FILE`}`,
    );
  }
}

async function isOfBatch(ledger: Ledger, entry: LedgerEntry, batch: string): Promise<boolean> {
  if (isBatch(entry)) return entry.call.owner === batch;
  if (!isDecided(entry)) return false;
  const claim = await lastEventOf(ledger, entry.rewardId, ['claimed']);
  // If it was resolved as paid without a call under its newest key, it was still paid outside of the batch.
  return claim?.detail['owner'] === batch && entry.terms !== null;
}
