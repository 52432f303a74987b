import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { shareWrites } from '../sql/share-writes.ts';
import { type Dialect, type Transaction, textsIn } from '../sql/sql.ts';
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

/** A larger transaction would lock the ledger for too long. */
const batchMaximum = 200;

/** The last event of a reward: its time and the state it led to. */
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
 * Changes rewards; each change is decided within the transaction that writes it. Changes requested during a transaction
 * share the next one.
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

/** Runs `work` now and returns or throws its result later, once the transaction is committed. */
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

/** Reads, within a transaction, everything that changes of these rewards may need. */
async function readBatch(tx: Transaction, dialect: Dialect, requests: readonly ChangeRequest[]) {
  const { eachText } = dialect;
  const rewardIds = listOf(requests.map(({ rewardId }) => rewardId));
  const named = listOf(requests.flatMap(({ scopes }) => scopes));
  // All are reads sent in one turn, which costs one round trip to a server. The lock is first; the others wait for it.
  const [{ frozen }, [last], rewards, lastEvents, budgets] = await Promise.all([
    lockMeta(tx, dialect),
    tx.query<LedgerRow>(selectLast),
    tx.query<LedgerRow>(`SELECT * FROM reward WHERE reward_id IN ${textsIn(dialect, '$1')}`, [rewardIds]),
    tx.query<LedgerRow>(selectLastEvents(dialect), [rewardIds]),
    // The named budgets, and those in which the rewards hold reservations.
    tx.query<LedgerRow>(
      `SELECT * FROM budget WHERE scope IN (
         SELECT value FROM ${eachText('$1')} AS named
         UNION SELECT held.value FROM reward CROSS JOIN ${eachText('reward.scopes')} AS held
         WHERE reward_id IN ${textsIn(dialect, '$2')})`,
      [named, rewardIds],
    ),
  ]);
  return {
    frozen: frozen ?? undefined,
    last: last === undefined ? noEvent : readMark(last),
    entries: rewards.map(readEntry),
    // Decoded on demand: damage must not keep a payment from being recorded.
    lastEvents: lastEvents.map((row) => [String(row['reward_id']), () => readLastEvent(row)] as const),
    budgets: budgets.map(readBudget),
  };
}

function readLastEvent(row: LedgerRow): LastEvent {
  const event = readRow('event', row);
  return { atMs: event.at_ms, summary: readSummary(event) };
}

/** A list as one parameter. It leaves out names that cannot be stored; `checkChange` refuses to write them. */
function listOf(names: readonly string[]): string {
  return JSON.stringify([...new Set(names)].filter(isStorable));
}

/**
 * The changes of one transaction, in order: each sees the results of those before it. A change that throws has no
 * effect.
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
        // A ledger must read in advance every budget it may need.
        if (!scopes.includes(scope)) throw new Error(`the caller did not name the budget ${scope}`);
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
      // A payment is recorded in any case, since that pays nothing more.
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
    // In sequence: nothing is written after a failure.
    await tx.many(putSql('reward'), [...rewardRows.values()]);
    await tx.many(insertSql('event'), eventRows);
    await tx.many(putSql('budget'), [...budgetRows.values()]);
  }

  return { change, write };
}

/**
 * Computes what an event moves and the resulting budgets, each with the cap of its last reservation.
 * @throws Error if a budget refuses it.
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
 * A row that was put back or removed would be paid again. Every change is checked, not only claims: the event of any
 * other change would make the older row look current.
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
 * Replaces characters that a database cannot store in texts from outside. People read these, so they may differ from
 * the original.
 */
function storableChange(change: Change): Change {
  const { entry } = change;
  const seen = { ...entry.seen, status: storable(entry.seen.status) };
  return { ...change, entry: { ...entry, seen, ref: storable(entry.ref), reason: storable(entry.reason) } };
}
