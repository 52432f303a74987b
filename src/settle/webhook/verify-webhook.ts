import * as z from 'zod';
import type { Clock } from '../../base/clock.ts';
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
 * The number of failed verifications after which callers have to wait. One is forgotten every
 * `failedVerificationForgottenMs`.
 */
const failedVerificationsMaximum = 20;
const failedVerificationForgottenMs = 5_000;

/**
 * Creates the verification of calls, which are not signed. It asks the service if the reward waits for this amount, and
 * resolves with undefined if so. An unconfirmed call changes nothing. `known` is the ledger's entry of the reward.
 * Limits the requests to the service that forged or repeated calls can cause.
 */
export function createVerify(settlement: Settlement) {
  const failedVerifications = createFailedVerifications(settlement.clock);
  return async (reward: WebhookReward, known: LedgerEntry | undefined): Promise<Rejection | undefined> => {
    if (known !== undefined && isConfirmedLately(settlement, known, reward)) return undefined;
    if (failedVerifications.areTooMany())
      return { message: 'too many recent calls that the service did not confirm' };
    const { rejection, isFailed } = await ask(settlement, reward);
    if (isFailed) failedVerifications.add();
    return rejection;
  };
}

/** An observation recent enough to pay by needs no further request. */
function isConfirmedLately({ clock }: Settlement, { seen }: LedgerEntry, reward: WebhookReward): boolean {
  return Math.abs(clock.now() - seen.atMs) <= freshMs && whyRejected(seen, reward) === undefined;
}

async function ask(
  { service, ledger, run }: Settlement,
  reward: WebhookReward,
): Promise<{ readonly rejection: Rejection | undefined; readonly isFailed: boolean }> {
  const { id } = reward.value;
  try {
    const shown = await service.find(id, reward.sent, 'QUEUED');
    if (shown === undefined) {
      return { rejection: { message: 'the service shows no such waiting reward' }, isFailed: true };
    }
    const rejection = whyRejected(shown.seen, reward);
    if (rejection === undefined) await ledger.change(id, observe(id, shown.seen), { by: run });
    return { rejection, isFailed: rejection !== undefined };
  } catch (error) {
    if (isInterruption(error))
      return { rejection: { message: 'the receiver is shutting down' }, isFailed: false };
    if (!(error instanceof ServiceFailure)) throw error;
    const { message: detail, isPassing } = error;
    return { rejection: { message: 'the lookup at the service failed', detail }, isFailed: !isPassing };
  }
}

function whyRejected({ status, amount }: Observation, reward: WebhookReward): Rejection | undefined {
  if (status !== 'QUEUED') return { message: `the service says ${status || 'nothing about its status'}` };
  if (amount !== claimedAmount(reward)) return { message: 'the service shows another amount' };
  return undefined;
}

/** Counts failed verifications; one is forgotten every `failedVerificationForgottenMs`. */
function createFailedVerifications(clock: Clock) {
  let count = 0;
  let countedMs = clock.monotonicMs();
  const forget = () => {
    const forgotten = Math.floor((clock.monotonicMs() - countedMs) / failedVerificationForgottenMs);
    countedMs += forgotten * failedVerificationForgottenMs;
    count = Math.max(0, count - forgotten);
  };
  return {
    add: () => {
      forget();
      count += 1;
    },
    areTooMany: () => {
      forget();
      return count >= failedVerificationsMaximum;
    },
  };
}
