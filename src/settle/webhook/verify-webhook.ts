import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Money, parseMoney } from '../../base/money.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Reward } from '../../contract/resources.ts';
import type { LedgerEntry, Observation } from '../../store/ledger/ledger.ts';
import type { Settlement } from '../flow/settlement.ts';
import { freshMs } from '../rules/policy.ts';
import { see } from '../rules/transitions.ts';

/** A reward as a call of the webhook carries it, read by the contract and as it was sent. */
export interface WebhookReward {
  readonly value: Reward;
  readonly sent: JsonObject;
}

/** The amount a call claims; undefined where it carries none that is exact. */
export function claimedAmount({ value: { amount } }: WebhookReward): Money | undefined {
  return amount == null ? undefined : parseMoney(amount);
}

/** Why a call is not believed: `message` for whoever called, `detail` for the log besides. */
export interface Doubt {
  readonly message: string;
  readonly detail?: string;
}

/**
 * The call is not signed, so the service itself is asked whether the reward waits for this amount; undefined where it does. What the service does
 * not confirm changes nothing. `known` is what the ledger holds of the reward.
 */
export type Verify = (reward: WebhookReward, known: LedgerEntry | undefined) => Promise<Doubt | undefined>;

/** How often the service may have been asked in vain: so many times, of which one is forgotten in every such time, in milliseconds. */
const failedVerificationsMaximum = 20;
const failedVerificationForgottenMs = 5_000;

/** Verifies calls. Whoever makes rewards up, or repeats old calls, cannot make us ask the service without end. */
export function createVerify(settlement: Settlement): Verify {
  const failedVerifications = createFailedVerifications(settlement.clock);
  return async (reward, known) => {
    if (known !== undefined && isConfirmedLately(settlement, known, reward)) return undefined;
    if (failedVerifications.areTooMany())
      return { message: 'too many calls lately that the service did not confirm' };
    const { doubt, isInVain } = await ask(settlement, reward);
    if (isInVain) failedVerifications.add();
    return doubt;
  };
}

/** Money is paid by what was seen so lately, so it need not be asked for again. */
function isConfirmedLately({ clock }: Settlement, { seen }: LedgerEntry, reward: WebhookReward): boolean {
  return Math.abs(clock.now() - seen.atMs) <= freshMs && doubtOf(seen, reward) === undefined;
}

async function ask(
  { service, ledger, run }: Settlement,
  reward: WebhookReward,
): Promise<{ readonly doubt: Doubt | undefined; readonly isInVain: boolean }> {
  const { id } = reward.value;
  try {
    const shown = await service.find(id, reward.sent, 'QUEUED');
    if (shown === undefined) {
      return { doubt: { message: 'the service shows no such reward that waits' }, isInVain: true };
    }
    const doubt = doubtOf(shown.seen, reward);
    if (doubt === undefined) await ledger.change(id, see(id, shown.seen), { by: run });
    return { doubt, isInVain: doubt !== undefined };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    const { message: detail, isPassing } = error;
    return { doubt: { message: 'the service could not be asked', detail }, isInVain: !isPassing };
  }
}

function doubtOf({ status, amount }: Observation, reward: WebhookReward): Doubt | undefined {
  if (status !== 'QUEUED') return { message: `the service says ${status || 'nothing of its status'}` };
  const claimed = claimedAmount(reward);
  if (claimed === undefined || amount !== claimed) return { message: 'the service says another amount' };
  return undefined;
}

interface VainAsks {
  add(): void;
  areTooMany(): boolean;
}

/** Counts what was asked in vain; one is forgotten in every `vainForgottenMs`. */
function createFailedVerifications(clock: Clock): VainAsks {
  let count = 0;
  let countedMs = clock.now();
  const forget = () => {
    // A clock that is set back must not keep anything from being forgotten.
    countedMs = Math.min(countedMs, clock.now());
    const forgotten = Math.floor((clock.now() - countedMs) / failedVerificationForgottenMs);
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
