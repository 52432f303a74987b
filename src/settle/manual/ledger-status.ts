import { flatten } from '../../base/lists.ts';
import { jsonMoney, parseMoney } from '../../base/money.ts';
import { present } from '../../base/present.ts';
import type { Budget, EntryFilter, Ledger, LedgerEntry } from '../../store/ledger/ledger.ts';
import type { Restoration } from '../../store/ledger/ledger-custody.ts';
import { isBatch, isoTime } from '../flow/entry-record.ts';
import type { Settlement } from '../flow/settlement.ts';
import { ageOf, inDoubtSinceMs, koreanDay } from '../rules/policy.ts';
import { OpenBatches } from './open-batches.ts';

/** The state of a ledger at one moment. A type, not an interface, because it is printed as JSON. */
export type LedgerStatus = Awaited<ReturnType<typeof ledgerStatus>>;

/** The maximum number of rewards named per kind. */
const namedRewards = 20;

/** The parts of a ledger that its state is read from. */
type ShownLedger = Pick<Ledger, 'meta' | 'budgets' | 'sums' | 'lastSeq' | 'entries' | 'reversals'>;

/** Reads the sums of a ledger, and every unsettled entry. It does not know which rewards policy would hold. */
export async function ledgerStatus(ledger: ShownLedger, nowMs: number) {
  const { shop, origin, createdAtMs, frozen, restoration } = await ledger.meta();
  const day = koreanDay(nowMs);
  const [today] = await ledger.budgets(`day ${day}`);
  return {
    shop,
    origin,
    createdAt: isoTime(createdAtMs),
    frozen,
    restoration: restoration && restorationRecord(restoration),
    states: (await ledger.sums()).map(({ amount, ...state }) => ({ ...state, amount: jsonMoney(amount) })),
    /** The part of the paid total that the payer reversed. */
    reversed: await reversedTotal(ledger),
    ...(await unsettled(ledger, nowMs)),
    today: { day, ...used(today) },
    events: await ledger.lastSeq(),
  };
}

async function reversedTotal(ledger: ShownLedger) {
  let count = 0;
  let amount = 0n;
  for await (const { detail } of flatten(ledger.reversals())) {
    const { amount: written } = detail;
    count += 1;
    amount += (typeof written === 'string' ? parseMoney(written) : undefined) ?? 0n;
  }
  return { count, amount: jsonMoney(amount) };
}

function restorationRecord({ atMs, acceptedAtMs, comparedAtMs, lostEvents }: Restoration) {
  return {
    at: isoTime(atMs),
    acceptedAt: isoTime(acceptedAtMs),
    comparedAt: isoTime(comparedAtMs),
    lostEvents,
  };
}

function used(budget: Budget | undefined) {
  const { spentAmount = 0n, spentCount = 0, reservedAmount = 0n, reservedCount = 0 } = budget ?? {};
  return {
    spent: { count: spentCount, amount: jsonMoney(spentAmount) },
    reserved: { count: reservedCount, amount: jsonMoney(reservedAmount) },
  };
}

/** Payments in progress of a process that has ended: their outcome is unknown, and the payer may still be working. */
export async function leftBehind(
  ledger: Pick<Ledger, 'entries'>,
  isOwnerAlive: Settlement['isOwnerAlive'],
  report?: EntryFilter['report'],
): Promise<readonly LedgerEntry[]> {
  const left: LedgerEntry[] = [];
  for await (const entry of flatten(ledger.entries(present<EntryFilter>({ payment: ['paying'], report })))) {
    const isLeft = !isBatch(entry) && (await isOwnerAlive(entry.call?.owner ?? '')) === false;
    if (isLeft) left.push(entry);
  }
  return left;
}

/** The items that may need a person's attention. */
async function unsettled(ledger: ShownLedger, nowMs: number) {
  const batches = new OpenBatches();
  const gone = { count: 0, amount: 0n, rewardIds: [] as string[] };
  let oldest: Unknown | undefined;
  for await (const entry of flatten(ledger.entries({ payment: ['intended', 'paying', 'unknown'] }))) {
    const { rewardId, payment, seen, terms } = entry;
    batches.add(entry);
    const sinceMs = inDoubtSinceMs(entry);
    if (sinceMs !== undefined && sinceMs < (oldest?.sinceMs ?? Number.POSITIVE_INFINITY))
      oldest = { entry, sinceMs };
    if (payment === 'paying' || seen.status === 'QUEUED') continue;
    gone.count += 1;
    gone.amount += (terms ?? seen).amount ?? 0n;
    if (gone.rewardIds.length < namedRewards) gone.rewardIds.push(rewardId);
  }
  return {
    oldestUnknown: oldest === undefined ? null : unknownRecord(oldest, nowMs),
    /** Unpaid, but the service no longer waits for them: it may have recorded a failure. */
    unpaidNotQueued: { ...gone, amount: jsonMoney(gone.amount) },
    /** Results files that are not fully imported. */
    batches: batches.all.map(({ batch, count, amount }) => ({ batch, count, amount: jsonMoney(amount) })),
  };
}

interface Unknown {
  readonly entry: LedgerEntry;
  readonly sinceMs: number;
}

function unknownRecord({ entry: { rewardId, lastCallAtMs }, sinceMs }: Unknown, nowMs: number) {
  const ageMs = ageOf(sinceMs, nowMs);
  return {
    rewardId,
    since: isoTime(sinceMs),
    /** Null if the clock was set back past that time. */
    ageSeconds: Number.isFinite(ageMs) ? Math.floor(ageMs / 1000) : null,
    lastCallAt: isoTime(lastCallAtMs),
  };
}
