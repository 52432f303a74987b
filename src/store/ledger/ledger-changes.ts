import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { shareWrites } from '../sql/share-writes.ts';
import type { Dialect, Transaction } from '../sql/sql.ts';
import type { Ledger, LedgerEntry, Step, Stepped } from './ledger.ts';
import { type LedgerAccess, lockMeta } from './ledger-access.ts';
import {
  type Change,
  checkChange,
  freed,
  isStorable,
  postingOf,
  reserved,
  type Summary,
  spent,
  summaryInWords,
  summaryOf,
  untouched,
} from './ledger-invariants.ts';
import { noEvent, readMark, selectLast, selectLastEvents } from './ledger-reads.ts';
import {
  budgetValues,
  type CappedBudget,
  type Column,
  damagedLedger,
  entryValues,
  eventValues,
  type LedgerRow,
  type Posted,
  readBudget,
  readEntry,
  readRow,
  readSummary,
  storable,
} from './ledger-rows.ts';
import { insertSql, putSql } from './ledger-tables.ts';

/** More changes in one transaction would make others wait too long for the ledger. */
const batchMaximum = 200;

/** The last event of a reward: when it was recorded, and the state that it led to. */
interface LastEvent {
  readonly atMs: number;
  readonly summary: Summary;
}

/** A change that waits for its transaction. */
interface ChangeRequest {
  readonly rewardId: string;
  readonly step: Step<unknown>;
  readonly by: string;
  readonly scopes: readonly string[];
}

/**
 * Changes of rewards, each of which is decided within the transaction that writes it. Those that are asked for while a
 * transaction is under way share the next one.
 */
export function createLedgerChanges(
  { write, dialect }: LedgerAccess,
  clock: Clock,
): Pick<Ledger, 'change'> & { readonly idle: () => Promise<void> } {
  const { add, idle } = shareWrites<ChangeRequest, () => Stepped<unknown>>({
    most: batchMaximum,
    write: (requests) =>
      write(async (tx) => {
        const batch = createBatch(await readBatch(tx, dialect, requests), clock.now());
        const results = requests.map((request) => attempt(() => batch.change(request)));
        await batch.write(tx);
        return results;
      }),
  });
  return {
    change: async <Kept>(
      rewardId: string,
      step: Step<Kept>,
      { by, scopes = [] }: Parameters<Ledger['change']>[2],
    ) => {
      const result = await add({ rewardId, step, by, scopes });
      return result() as Stepped<Kept>;
    },
    idle,
  };
}

/** Does `work` now; what it returns or throws is for the time when its transaction is committed. */
function attempt<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Reads, within a transaction, all that changes of these rewards may ask for. */
async function readBatch(tx: Transaction, dialect: Dialect, requests: readonly ChangeRequest[]) {
  const { textsIn, eachText } = dialect;
  const rewardIds = listOf(requests.map(({ rewardId }) => rewardId));
  const named = listOf(requests.flatMap(({ scopes }) => scopes));
  // Only reads, in one turn, so that they cost one round trip to a server. The lock is the first, and they wait for it.
  const [{ frozen }, [last], rewards, lastEvents, budgets] = await Promise.all([
    lockMeta(tx, dialect),
    tx.query<LedgerRow>(selectLast),
    tx.query<LedgerRow>(`SELECT * FROM reward WHERE reward_id IN ${textsIn('$1')}`, [rewardIds]),
    tx.query<LedgerRow>(selectLastEvents(dialect), [rewardIds]),
    // Those that were named, and those that the rewards hold reservations in.
    tx.query<LedgerRow>(
      `SELECT * FROM budget WHERE scope IN (
         SELECT value FROM ${eachText('$1')} AS named
         UNION SELECT held.value FROM reward CROSS JOIN ${eachText('reward.scopes')} AS held
         WHERE reward_id IN ${textsIn('$2')})`,
      [named, rewardIds],
    ),
  ]);
  return {
    frozen: frozen ?? undefined,
    last: last === undefined ? noEvent : readMark(last),
    entries: rewards.map(readEntry),
    // Read only if a decision needs it: a damaged one keeps no payment from being recorded.
    lastEvents: lastEvents.map((row) => [String(row['reward_id']), () => readLastEvent(row)] as const),
    budgets: budgets.map(readBudget),
  };
}

function readLastEvent(row: LedgerRow): LastEvent {
  const event = readRow('event', row);
  return { atMs: event.at_ms, summary: readSummary(event) };
}

/** A list as one parameter. No query takes a name that cannot be stored; the law refuses it when it is written. */
function listOf(names: readonly string[]): string {
  return JSON.stringify([...new Set(names)].filter(isStorable));
}

/**
 * The changes of one transaction, in their order: each sees what those before it have changed. One that throws has
 * changed nothing.
 */
function createBatch({ frozen, ...read }: Awaited<ReturnType<typeof readBatch>>, nowMs: number) {
  const entries = new Map(read.entries.map((entry) => [entry.rewardId, entry]));
  const lastEvents = new Map<string, () => LastEvent>(read.lastEvents);
  const budgets = new Map(read.budgets.map((one) => [one.budget.scope, one]));
  const rewardRows = new Map<string, readonly Column[]>();
  const eventRows: (readonly Column[])[] = [];
  const budgetRows = new Map<string, readonly Column[]>();
  let { last } = read;
  const budgetOf = (scope: string): CappedBudget =>
    budgets.get(scope) ?? { budget: untouched(scope), cap: { amount: null, count: null } };

  function change({ rewardId, step, by, scopes }: ChangeRequest): Stepped<unknown> {
    const before = entries.get(rewardId);
    const lastEvent = lastEvents.get(rewardId);
    const decision = step({
      entry: before,
      nowMs,
      frozen,
      budget: (scope) => {
        // A ledger must read the budgets that it may need beforehand.
        if (!scopes.includes(scope)) throw new Error(`the budget ${scope} was not asked for`);
        return budgetOf(scope).budget;
      },
      lastEventAtMs: () => lastEvent?.().atMs,
    });
    if (decision.kind === 'no-change') return { kind: 'kept', entry: before, reason: decision.reason };
    const decided = storableChange(decision);
    const { entry, event } = decided;
    checkChange(decided, { rewardId, before, frozen, scopes });
    const row = entryValues(entry);
    if (event !== undefined) {
      // That something was paid is recorded in any case: nothing more is paid by it.
      if (entry.payment !== 'paid') checkContinuity(rewardId, before, lastEvent?.());
      const { posted, moved } = post(decided, before, budgetOf);
      const seq = last.seq + 1;
      const eventRow = eventValues(entry, event, { seq, atMs: nowMs, by, posted });
      // Nothing has changed so far, and nothing throws from here on.
      eventRows.push(eventRow);
      last = { seq, seal: String(eventRow.at(-1)) };
      lastEvents.set(rewardId, () => ({ atMs: nowMs, summary: summaryOf(entry) }));
      for (const one of moved) {
        budgets.set(one.budget.scope, one);
        budgetRows.set(one.budget.scope, budgetValues(one));
      }
    }
    entries.set(rewardId, entry);
    rewardRows.set(rewardId, row);
    return { kind: 'changed', entry, ...last };
  }

  async function write(tx: Transaction): Promise<void> {
    // One after the other: nothing is written after what failed.
    await tx.many(putSql('reward'), [...rewardRows.values()]);
    await tx.many(insertSql('event'), eventRows);
    await tx.many(putSql('budget'), [...budgetRows.values()]);
  }

  return { change, write };
}

/**
 * What an event moves, and the budgets as they are then, each with the cap that was last reserved under.
 * @throws Error where a budget refuses it.
 */
function post(
  { entry, event, reserve = [] }: Change,
  before: LedgerEntry | undefined,
  budgetOf: (scope: string) => CappedBudget,
): { readonly posted?: Posted; readonly moved: readonly CappedBudget[] } {
  const kind = event && postingOf(event.kind, before, entry);
  if (!kind) return { moved: [] };
  const amount = (before?.terms ?? entry.terms)?.amount ?? 0n;
  const move = kind === 'spend' ? spent : freed;
  const moved =
    kind === 'reserve'
      ? reserve.map((cap) => ({ budget: reserved(budgetOf(cap.scope).budget, amount, cap), cap }))
      : (before?.scopes ?? [])
          .map(budgetOf)
          .map(({ budget, cap }) => ({ budget: move(budget, amount), cap }));
  return { posted: { kind, amount, scopes: moved.map(({ budget }) => budget.scope) }, moved };
}

/**
 * A row that someone put back, or removed, would be paid once more. Every change is checked, and not only claims: the
 * event of another one would make an older row look like the newest.
 */
function checkContinuity(
  rewardId: string,
  entry: LedgerEntry | undefined,
  last: LastEvent | undefined,
): void {
  const held = entry && summaryOf(entry);
  if (isDeepStrictEqual(held, last?.summary)) return;
  if (last === undefined) throw damagedLedger(`reward ${rewardId} has no event`);
  const left = summaryInWords(last.summary);
  const found = held === undefined ? 'gone' : summaryInWords(held);
  const is = found === left ? 'it has another payment or other budgets' : `it is ${found}`;
  throw damagedLedger(`reward ${rewardId} is not as its last event left it (${left}): ${is}`);
}

/**
 * Texts from outside may hold characters that a database cuts off; people read them, so they need not come back
 * exactly.
 */
function storableChange(change: Change): Change {
  const { entry } = change;
  const seen = { ...entry.seen, status: storable(entry.seen.status) };
  return { ...change, entry: { ...entry, seen, ref: storable(entry.ref), reason: storable(entry.reason) } };
}
