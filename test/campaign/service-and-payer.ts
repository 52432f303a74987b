import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { ServedSandbox } from '../../src/sandbox/serve.ts';
import type { LedgerEvent } from '../../src/store/ledger/ledger.ts';
import type { SettlePlace, Settler } from './settle-place.ts';

/** Writes reviews at the service, each with a reward that the webhook announces. */
export async function writeReviews({ served }: SettlePlace, count: number): Promise<void> {
  await fetch(`${served.baseUrl}/sandbox/reviews`, {
    method: 'POST',
    headers: { authorization: `Basic ${served.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ count }),
  });
}

/** Makes the service wait for these rewards as if their payment had never been reported. */
export function forgetReports({ served }: SettlePlace, ids: ReadonlySet<string>): void {
  served.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of [...rewards.values()])
      if (reward.status === 'SUCCESS' && ids.has(reward.id)) rewards.put({ ...reward, status: 'QUEUED' });
  });
}

/** Rewards of members for which the service still waits. */
export function waitingRewards({ sandbox: { state } }: ServedSandbox): readonly string[] {
  const memberOf = (orderItemId: string) =>
    state.orders.get(state.orderItems.get(orderItemId)?.orderId ?? '')?.memberOriginId;
  return [...state.rewards.values()]
    .filter(({ status, orderItemId }) => status === 'QUEUED' && memberOf(orderItemId))
    .map(({ id }) => id);
}

/** A line of the payer's log. */
export interface LoggedPayment {
  readonly key: string;
  readonly reward: string;
  readonly amount: string;
  readonly atMs: number;
  /** The process that called the payer. */
  readonly caller: number;
}

/** The calls of the payer, its payments, or its answers. */
export function loggedPayments(
  place: SettlePlace,
  what: 'CALL' | 'EFFECT' | 'ANSWER',
): readonly LoggedPayment[] {
  return place
    .payments()
    .filter((line) => line['what'] === what)
    .map(({ key, reward, amount, at, caller }) => ({
      key: asText(key),
      reward: asText(reward),
      amount: asText(amount),
      atMs: Number(at),
      caller: Number(caller),
    }));
}

/** The keys with which a ledger has called the payer. */
export function keysOf(events: readonly LedgerEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, detail }) => (kind === 'claimed' ? [asText(detail['key'])] : [])));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The time until a payer has done what it does late, in milliseconds. */
export const lateMs = 700;

/**
 * Has the payer forget all keys but these, as it does once their period is over: long after all that it does late under
 * one of them.
 */
export async function forgetKeys({ folder }: SettlePlace, kept: ReadonlySet<string>): Promise<void> {
  await systemClock.sleep(lateMs);
  const keys = join(folder, 'logs', 'payer.ndjson.keys');
  for (const key of existsSync(keys) ? readdirSync(keys) : [])
    if (!kept.has(key)) rmSync(join(keys, key), { recursive: true });
}

/** Kills payers that never end, unless their process ids were reused. */
export function endHangingPayers(place: SettlePlace): void {
  for (const { what, pid } of place.payments()) {
    if (what === 'CALL' && typeof pid === 'number' && isPayerOf(place.folder, pid))
      process.kill(pid, 'SIGKILL');
  }
}

function isPayerOf(folder: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
  } catch {
    return false;
  }
}

/** True if a process printed an error that nobody should ever see. */
export function hasBugs({ stderr }: Pick<Settler, 'stderr'>): boolean {
  return /invalid (?:change|reservation|posting)|(?:Type|Range)Error/.test(stderr());
}
