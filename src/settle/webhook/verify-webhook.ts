import * as z from 'zod';
import { isInterruption } from '../../base/failure.ts';
import { isDeeperThan, isJsonObject, type Json, type JsonObject, levelsMaximum } from '../../base/json.ts';
import { type Money, parseMoney } from '../../base/money.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import { type Reward, reward } from '../../contract/resources.ts';
import type { LedgerEntry, Observation } from '../../store/ledger/ledger.ts';
import type { Settlement } from '../flow/settlement.ts';
import { freshMs } from '../rules/policy.ts';
import { observe } from '../rules/transitions.ts';

/** A reward of a webhook call, as decoded by the contract and as sent. */
export interface WebhookReward {
  readonly value: Reward;
  readonly sent: JsonObject;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The maximum length of an id. Ids of the service are far shorter. */
const idLengthMaximum = 256;

/**
 * Reads the body of a webhook call. Undefined if it is not a Reward, or if its id cannot be addressed or might be
 * altered when stored.
 */
export function readReward(body: ArrayBuffer | Uint8Array): WebhookReward | undefined {
  let sent: Json | undefined;
  try {
    sent = JSON.parse(utf8.decode(body)) as Json;
  } catch {
    // Leaves `sent` undefined: rejected below, like anything that is not an object.
  }
  if (!isJsonObject(sent) || isDeeperThan(sent, levelsMaximum)) return undefined;
  const read = z.safeDecode(reward(), sent as never);
  if (!read.success || !isPlainId(read.data.id)) return undefined;
  return { value: read.data, sent };
}

function isPlainId(id: string): boolean {
  return id.length <= idLengthMaximum && isPathSegment(id);
}

/** The amount that a call claims; undefined if it is not exact. */
export function claimedAmount({ value: { amount } }: WebhookReward): Money | undefined {
  return amount == null ? undefined : parseMoney(amount);
}

/** The reason why a call is rejected: `message` for the caller, `detail` for the log. */
interface Rejection {
  readonly message: string;
  readonly detail?: string;
}

/**
 * The reason why a call, which is not signed, is rejected: the service itself must show the reward as waiting for this
 * amount. Undefined if it does. An unconfirmed call changes nothing. `known` is the ledger's entry of the reward.
 */
export async function verifyCall(
  settlement: Settlement,
  reward: WebhookReward,
  known: LedgerEntry | undefined,
): Promise<Rejection | undefined> {
  if (known !== undefined && isConfirmedLately(settlement, known, reward)) return undefined;
  const { service, ledger, run } = settlement;
  const { id } = reward.value;
  try {
    const shown = await service.find(id, reward.sent, 'QUEUED');
    if (shown === undefined) return { message: 'the service shows no such waiting reward' };
    const rejection = whyRejected(shown.seen, reward);
    if (rejection === undefined) await ledger.change(id, observe(id, shown.seen), { by: run });
    return rejection;
  } catch (error) {
    if (isInterruption(error)) return { message: 'the receiver is shutting down' };
    if (!(error instanceof ServiceFailure)) throw error;
    return { message: 'the lookup at the service failed', detail: error.message };
  }
}

/** An observation recent enough to pay by needs no further request. */
function isConfirmedLately({ clock }: Settlement, { seen }: LedgerEntry, reward: WebhookReward): boolean {
  return Math.abs(clock.now() - seen.atMs) <= freshMs && whyRejected(seen, reward) === undefined;
}

function whyRejected({ status, amount }: Observation, reward: WebhookReward): Rejection | undefined {
  if (status !== 'QUEUED') return { message: `the service says ${status || 'nothing about its status'}` };
  if (amount !== claimedAmount(reward)) return { message: 'the service shows another amount' };
  return undefined;
}
