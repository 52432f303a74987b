import type { JsonObject } from '../base/json.ts';
import { formatMoney } from '../base/money.ts';
import { ServiceFailure } from '../client/service-failure.ts';
import { isPathSegment } from '../contract/path-segment.ts';
import type { RewardStatus } from '../contract/states.ts';
import type { LedgerEntry } from '../store/ledger.ts';
import { haveTermsChanged, unaddressable } from './policy.ts';
import type { SeenReward } from './reward-service.ts';
import type { Settlement } from './settlement.ts';
import { type Telling, tell } from './transitions.ts';

/** How far the telling came; `trouble` is why the service does not provably know yet. */
export interface TellEnd {
  readonly entry: LedgerEntry;
  readonly trouble?: ServiceFailure;
}

/**
 * Tells the service what became of a decided reward and proves that it took it: by its reply, else by a look. The ledger is the outbox: what is not
 * confirmed is told again by the next run.
 * @throws ServiceFailure where the credential is not accepted.
 */
export async function tellService(settlement: Settlement, entry: LedgerEntry): Promise<TellEnd> {
  const { ledger, service, run, refusedStatus } = settlement;
  const status = entry.pay === 'paid' ? 'SUCCESS' : refusedStatus;
  const { telling, trouble } = await attempt(async () => {
    if (!isPathSegment(entry.rewardId)) return { kind: 'conflict', message: unaddressable(entry.rewardId) };
    const another = anotherReward(entry);
    if (another !== undefined) return { kind: 'conflict', message: another };
    const reply = await tryUpdate(settlement, entry, status);
    if (reply !== undefined && mismatch(reply, entry, status) === undefined)
      return { kind: 'confirmed', status };
    const shown = await service.find(entry.rewardId, JSON.parse(entry.seen.document) as JsonObject);
    const message =
      shown === undefined ? 'the service does not show it any more' : mismatch(shown, entry, status);
    return message === undefined ? { kind: 'confirmed', status } : { kind: 'conflict', message };
  }, status);
  const { entry: told } = await ledger.change(entry.rewardId, tell(telling), { by: run });
  return { entry: reported(told ?? entry, telling), ...(trouble === undefined ? {} : { trouble }) };
}

/** What was confirmed once stays so in the ledger; that the service now says otherwise is reported all the same. */
function reported(entry: LedgerEntry, telling: Telling): LedgerEntry {
  if (entry.told !== 'confirmed' || telling.kind !== 'conflict') return entry;
  return { ...entry, told: telling.kind, reason: telling.message };
}

/** A reward that is waited for again after it was settled, with other terms, is another one under its id; undefined where it is the same. */
function anotherReward(entry: LedgerEntry): string | undefined {
  const { told, pay, terms, seen } = entry;
  if (told !== 'confirmed' || terms === null || !haveTermsChanged(entry)) return undefined;
  const amount = seen.amount === null ? 'no exact amount' : formatMoney(seen.amount);
  const member = seen.memberOriginId ?? 'no member';
  return `${formatMoney(terms.amount)} to ${terms.memberOriginId} is ${pay} and confirmed; the service now waits for ${amount} to ${member} under the same id`;
}

/** The reply, or undefined where the service refused and a look must tell what it has. */
async function tryUpdate(
  { service }: Settlement,
  { rewardId }: LedgerEntry,
  status: RewardStatus,
): Promise<SeenReward | undefined> {
  try {
    return await service.update(rewardId, status);
  } catch (error) {
    if (error instanceof ServiceFailure && (error.kind === 'refused' || error.kind === 'not-found'))
      return undefined;
    throw error;
  }
}

/** A service that cannot be reached now may have been told all the same. */
async function attempt(
  work: () => Promise<Telling>,
  status: RewardStatus,
): Promise<{ readonly telling: Telling; readonly trouble?: ServiceFailure }> {
  try {
    return { telling: await work() };
  } catch (error) {
    if (!(error instanceof ServiceFailure) || !error.isPassing) throw error;
    return { telling: { kind: 'told', status }, trouble: error };
  }
}

/** What the service shows otherwise than the ledger has it; undefined where both agree. */
function mismatch(
  { rewardId, seen }: SeenReward,
  { rewardId: ours, pay, terms }: LedgerEntry,
  status: RewardStatus,
): string | undefined {
  if (rewardId !== ours) return `the service answered with reward ${rewardId}`;
  if (seen.status !== status)
    return `it is ${pay}, but the service says ${seen.status || 'nothing of its status'}`;
  if (pay === 'paid' && terms !== null && seen.amount !== terms.amount) {
    const shown = seen.amount === null ? 'no exact amount' : formatMoney(seen.amount);
    return `${formatMoney(terms.amount)} were paid, but the service says ${shown}`;
  }
  return undefined;
}
