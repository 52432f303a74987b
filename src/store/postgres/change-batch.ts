import type { Clock } from '../../base/clock.ts';
import { CappedBudgets } from '../ledger/capped-budgets.ts';
import { type ChangeRequest, decideChange } from '../ledger/decide-change.ts';
import type { EventMark, LedgerEntry, Stepped } from '../ledger/ledger.ts';
import { type Change, isStorable, summaryOf, untouched } from '../ledger/ledger-invariants.ts';
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
} from '../ledger/ledger-rows.ts';
import type { Connection } from '../sql/connection.ts';
import { writeParameters, writeSql } from './row-sql.ts';

/** The changes of one transaction, in their order: each sees what those before it have changed. */
export interface ChangeBatch {
  /** @throws Error as the step, or for an invalid change; then nothing of it is written. */
  change<Kept>(request: ChangeRequest<Kept>, by: string): Stepped<Kept>;
  /** Writes what was changed. */
  write(): Promise<void>;
}

/** What is asked about each reward before its step decides. */
type Asked = Pick<ChangeRequest<never>, 'rewardId' | 'scopes'>;

/** Reads, within a transaction that holds the lock of the ledger, all that changes of these rewards may ask for. */
export async function readBatch(
  connection: Connection,
  schema: string,
  asked: readonly Asked[],
  clock: Clock,
): Promise<ChangeBatch> {
  // No query takes another name; the law refuses it when it is to be written.
  const rewardIds = [...new Set(asked.map(({ rewardId }) => rewardId))].filter(isStorable);
  const scopes = [...new Set(asked.flatMap((one) => one.scopes))].filter(isStorable);
  const [heads, rewards, lastEvents, budgets] = await Promise.all([
    connection.query<Head>(headSql(schema), [], 'head'),
    connection.query<LedgerRow>(
      `SELECT * FROM ${schema}.reward WHERE reward_id = ANY($1::text[])`,
      [rewardIds],
      'rewards',
    ),
    connection.query<LedgerRow>(lastEventsSql(schema), [rewardIds], 'last-events'),
    connection.query<LedgerRow>(budgetsSql(schema), [scopes, rewardIds], 'budgets'),
  ]);
  const batch = new Batch({ head: heads[0], rewards, lastEvents, budgets }, clock);
  return {
    change: (request, by) => batch.change(request, by),
    write: async () => {
      const rows = batch.rows();
      if (rows.reward.length > 0) await connection.query(writeSql(schema), writeParameters(rows), 'write');
    },
  };
}

interface Head {
  readonly frozen: string | null;
  readonly seq: bigint | null;
  readonly seal: string | null;
}

function headSql(schema: string): string {
  return `SELECT (SELECT value FROM ${schema}.meta WHERE name = 'frozen') AS frozen, last.seq, last.seal
    FROM (SELECT 1) AS one LEFT JOIN (SELECT seq, seal FROM ${schema}.event ORDER BY seq DESC LIMIT 1) AS last ON true`;
}

/** The last event of each reward, by one step down the index of events by reward. */
function lastEventsSql(schema: string): string {
  return `SELECT last.* FROM unnest($1::text[]) AS asked (reward_id) CROSS JOIN LATERAL (
      SELECT * FROM ${schema}.event AS event WHERE event.reward_id = asked.reward_id ORDER BY seq DESC LIMIT 1
    ) AS last`;
}

/** Budgets that were named, and those that the rewards hold reservations in; always locked in the same order. */
function budgetsSql(schema: string): string {
  return `SELECT * FROM ${schema}.budget
    WHERE scope = ANY($1::text[] || ARRAY(
      SELECT jsonb_array_elements_text(scopes::jsonb) FROM ${schema}.reward WHERE reward_id = ANY($2::text[])))
    ORDER BY scope FOR UPDATE`;
}

/** The rows that the changes of a batch start from. */
interface BatchRows {
  readonly head: Head | undefined;
  readonly rewards: readonly LedgerRow[];
  readonly lastEvents: readonly LedgerRow[];
  readonly budgets: readonly LedgerRow[];
}

class Batch {
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

  constructor({ head, rewards, lastEvents, budgets }: BatchRows, clock: Clock) {
    this.#frozen = head?.frozen ?? undefined;
    this.#last = { seq: Number(head?.seq ?? 0), seal: head?.seal ?? '' };
    this.#nowMs = clock.now();
    for (const row of rewards) this.#entries.set(String(row['reward_id']), readEntry(row));
    this.#lastRows = new Map(lastEvents.map((row) => [String(row['reward_id']), row]));
    const known = new Map(budgets.map((row) => [String(row['scope']), row]));
    this.#budgets = new CappedBudgets((scope) => {
      const row = known.get(scope);
      return row === undefined
        ? { budget: untouched(scope), cap: { amount: null, count: null } }
        : readBudget(row);
    });
  }

  change<Kept>(request: ChangeRequest<Kept>, by: string): Stepped<Kept> {
    const before = this.#entries.get(request.rewardId);
    const facts = { entry: before, nowMs: this.#nowMs, frozen: this.#frozen };
    const change = decideChange(request, facts, {
      budgets: () => this.#budgets,
      lastEvent: () => this.#lastEvent(request.rewardId),
    });
    if (change.kind === 'no-change') return { kind: 'kept', entry: before, reason: change.reason };
    this.#put(change, before, by);
    return { kind: 'changed', entry: change.entry, ...this.#last };
  }

  #lastEvent(rewardId: string): LastEvent | undefined {
    const row = this.#lastRows.get(rewardId);
    return this.#lastEvents.get(rewardId) ?? (row && readLastEvent(row));
  }

  #put({ entry, event, posting }: Change, before: LedgerEntry | undefined, by: string): void {
    const posted = posting && this.#budgets.post(posting, before, entry);
    this.#entries.set(entry.rewardId, entry);
    this.#changed.add(entry.rewardId);
    if (event === undefined) return;
    const seq = this.#last.seq + 1;
    const values = eventValues(entry, event, { seq, atMs: this.#nowMs, by, posted });
    this.#events.push(values);
    this.#last = { seq, seal: String(values.at(-1)) };
    this.#lastEvents.set(entry.rewardId, { atMs: this.#nowMs, summary: summaryOf(entry) });
  }

  rows() {
    const changed = [...this.#entries.values()].filter(({ rewardId }) => this.#changed.has(rewardId));
    return {
      reward: changed.map(entryValues),
      event: this.#events,
      budget: this.#budgets.changed().map(({ budget, cap }) => budgetValues(budget, cap)),
    };
  }
}
