import type { Clock } from '../../base/clock.ts';
import type { Dialect } from '../sql/sql.ts';
import { CappedBudgets } from './capped-budgets.ts';
import { type ChangeRequest, decideChange } from './decide-change.ts';
import type { EventMark, LedgerEntry, Stepped } from './ledger.ts';
import type { LedgerTransaction } from './ledger-access.ts';
import { type Change, isStorable, postingOf, summaryOf } from './ledger-invariants.ts';
import { noEvent, readMark, selectLast } from './ledger-reads.ts';
import {
  budgetValues,
  type Column,
  entryValues,
  eventValues,
  type LastEvent,
  type LedgerRow,
  readBudget,
  readEntry,
  readLastEvent,
} from './ledger-rows.ts';
import { insertSql, putSql } from './ledger-tables.ts';

/** The changes of one transaction, in their order: each sees what those before it have changed. */
export interface ChangeBatch {
  /** @throws Error as the step, or for an invalid change; then nothing of it is written. */
  change<Kept>(request: ChangeRequest<Kept>, by: string): Stepped<Kept>;
  /** Writes what was changed. @throws Error where a change was made by half; then nothing is written. */
  write(): Promise<void>;
}

/** What is asked about each reward before its step decides. */
type Asked = Pick<ChangeRequest<never>, 'rewardId' | 'scopes'>;

/** Reads, within a transaction, all that changes of these rewards may ask for. */
export async function readBatch(
  tx: LedgerTransaction,
  { textsIn, eachText }: Dialect,
  asked: readonly Asked[],
  clock: Clock,
): Promise<ChangeBatch> {
  const rewardIds = listOf(asked.map(({ rewardId }) => rewardId));
  const scopes = listOf(asked.flatMap((one) => one.scopes));
  // Only reads, in one turn, so that they cost one round trip to a server. The lock is the first, and they wait for it.
  const [{ frozen }, [last], rewards, lastEvents, budgets] = await Promise.all([
    tx.lock(),
    tx.query<LedgerRow>(selectLast),
    tx.query<LedgerRow>(`SELECT * FROM reward WHERE reward_id IN ${textsIn('$1')}`, [rewardIds]),
    tx.query<LedgerRow>(
      `SELECT * FROM event
       WHERE seq IN (SELECT max(seq) FROM event WHERE reward_id IN ${textsIn('$1')} GROUP BY reward_id)`,
      [rewardIds],
    ),
    // Those that were named, and those that the rewards hold reservations in.
    tx.query<LedgerRow>(
      `SELECT * FROM budget WHERE scope IN (
         SELECT value FROM ${eachText('$1')} AS named
         UNION SELECT held.value FROM reward CROSS JOIN ${eachText('reward.scopes')} AS held
         WHERE reward_id IN ${textsIn('$2')})`,
      [scopes, rewardIds],
    ),
  ]);
  return new Batch(tx, { last, rewards, lastEvents, budgets }, { frozen, nowMs: clock.now() });
}

/** A list as one parameter. No query takes a name that cannot be stored; the law refuses it when it is written. */
function listOf(names: readonly string[]): string {
  return JSON.stringify([...new Set(names)].filter(isStorable));
}

/** The rows that the changes of a batch start from. */
interface BatchRows {
  /** The last event of the ledger. */
  readonly last: LedgerRow | undefined;
  readonly rewards: readonly LedgerRow[];
  readonly lastEvents: readonly LedgerRow[];
  readonly budgets: readonly LedgerRow[];
}

class Batch implements ChangeBatch {
  readonly #tx: LedgerTransaction;
  readonly #frozen: string | undefined;
  readonly #nowMs: number;
  readonly #entries = new Map<string, LedgerEntry>();
  readonly #changed = new Set<string>();
  readonly #events: (readonly Column[])[] = [];
  readonly #budgets: CappedBudgets;
  readonly #lastRows: ReadonlyMap<string, LedgerRow>;
  /** Of the rewards that this batch changes. */
  readonly #lastEvents = new Map<string, LastEvent>();
  #last: EventMark;
  /** Why one of the changes was made by half. */
  #broken: { readonly error: unknown } | undefined;

  constructor(
    tx: LedgerTransaction,
    { last, rewards, lastEvents, budgets }: BatchRows,
    { frozen, nowMs }: { readonly frozen: string | null; readonly nowMs: number },
  ) {
    this.#tx = tx;
    this.#frozen = frozen ?? undefined;
    this.#nowMs = nowMs;
    this.#last = last === undefined ? noEvent : readMark(last);
    for (const row of rewards) this.#entries.set(String(row['reward_id']), readEntry(row));
    this.#lastRows = new Map(lastEvents.map((row) => [String(row['reward_id']), row]));
    this.#budgets = new CappedBudgets(budgets.map(readBudget));
  }

  change<Kept>(request: ChangeRequest<Kept>, by: string): Stepped<Kept> {
    const before = this.#entries.get(request.rewardId);
    const facts = { entry: before, nowMs: this.#nowMs, frozen: this.#frozen };
    const change = decideChange(request, facts, {
      budgets: this.#budgets,
      lastEvent: () => this.#lastEvent(request.rewardId),
    });
    if (change.kind === 'no-change') return { kind: 'kept', entry: before, reason: change.reason };
    try {
      this.#put(change, before, by);
    } catch (error) {
      this.#broken = { error };
      throw error;
    }
    return { kind: 'changed', entry: change.entry, ...this.#last };
  }

  async write(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken.error;
    const rewards = [...this.#changed].flatMap((rewardId) => {
      const entry = this.#entries.get(rewardId);
      return entry === undefined ? [] : [entryValues(entry)];
    });
    // One after the other: nothing is written after what failed.
    await this.#tx.many(putSql('reward'), rewards);
    await this.#tx.many(insertSql('event'), this.#events);
    await this.#tx.many(putSql('budget'), this.#budgets.changed().map(budgetValues));
  }

  #lastEvent(rewardId: string): LastEvent | undefined {
    const row = this.#lastRows.get(rewardId);
    return this.#lastEvents.get(rewardId) ?? (row && readLastEvent(row));
  }

  #put({ entry, event, reserve = [] }: Change, before: LedgerEntry | undefined, by: string): void {
    const posting = event && postingOf(event.kind, before, entry);
    const posted = posting ? this.#budgets.post(posting, reserve, { before, after: entry }) : undefined;
    this.#entries.set(entry.rewardId, entry);
    this.#changed.add(entry.rewardId);
    if (event === undefined) return;
    const seq = this.#last.seq + 1;
    const values = eventValues(entry, event, { seq, atMs: this.#nowMs, by, posted });
    this.#events.push(values);
    this.#last = { seq, seal: String(values.at(-1)) };
    this.#lastEvents.set(entry.rewardId, { atMs: this.#nowMs, summary: summaryOf(entry) });
  }
}
