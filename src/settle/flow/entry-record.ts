import type { JsonObject } from '../../base/json.ts';
import { jsonMoney, parseMoney } from '../../base/money.ts';
import { callRecords, callState, type RunningProgram } from '../../payer/call-records.ts';
import type { LedgerEntry, LedgerEvent } from '../../store/ledger/ledger.ts';
import type { Settlement } from './settlement.ts';

/** A ledger entry in its printed form: times in ISO-8601. */
export async function entryRecord(
  entry: LedgerEntry,
  {
    isOwnerAlive,
    callRecordsFolder,
  }: Pick<Settlement, 'isOwnerAlive'> & { readonly callRecordsFolder: string },
): Promise<JsonObject> {
  const {
    rewardId,
    payment,
    report,
    seen,
    terms,
    attempt,
    keyGeneration,
    payer,
    call,
    isInDoubt,
    ref,
    reason,
  } = entry;
  const { amount, memberOriginId } = terms ?? seen;
  const running = runningPayer(entry, callRecordsFolder);
  return {
    rewardId,
    payment,
    report,
    amount: jsonMoney(amount),
    memberOriginId,
    key: terms?.key ?? null,
    attempt,
    keyGeneration,
    payer,
    firstCallAt: isoTime(entry.firstCallAtMs),
    lastCallAt: isoTime(entry.lastCallAtMs),
    isInDoubt,
    owner: call?.owner ?? null,
    isOwnerAlive: call === null || isBatch(entry) ? null : ((await isOwnerAlive(call.owner)) ?? null),
    payerPid: running === undefined || running.doubt !== undefined ? null : running.pid,
    payerSeconds: running?.ageMs === undefined ? null : Math.floor(running.ageMs / 1000),
    seenStatus: seen.status,
    seenAt: isoTime(seen.atMs),
    ref,
    reason,
  };
}

/** The program of the last call, if it is still running. */
export function runningPayer(
  { payment, terms, attempt }: LedgerEntry,
  callRecordsFolder: string,
): RunningProgram | undefined {
  if (terms === null || (payment !== 'paying' && payment !== 'unknown')) return undefined;
  const state = callState(callRecords(callRecordsFolder, terms.key, attempt));
  return state.kind === 'running' ? state : undefined;
}

/** True if a person makes the payment, from a results file. */
export function isBatch(
  entry: LedgerEntry,
): entry is LedgerEntry & { readonly call: NonNullable<LedgerEntry['call']> } {
  return entry.call !== null && entry.call.leaseUntilMs === null;
}

/** The reason for leaving the payment to that person. */
export function handedOverReason({ call }: LedgerEntry): string {
  return `handed over in ${call?.owner ?? 'a batch'}; its outcome must be imported`;
}

/** A ledger event in its printed form. */
export function eventRecord({
  seq,
  atMs,
  kind,
  by,
  payment,
  report,
  attempt,
  detail,
}: LedgerEvent): JsonObject {
  return { seq, at: isoTime(atMs), kind, payment, report, attempt, by, detail: withNumber(detail) };
}

/** Adds the amount as JSON money. The ledger stores amounts as text, because its history is sealed over that text. */
function withNumber(detail: JsonObject): JsonObject {
  const { amount: written } = detail;
  const amount = typeof written === 'string' ? parseMoney(written) : undefined;
  return amount === undefined ? detail : { ...detail, amount: jsonMoney(amount) };
}

export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
