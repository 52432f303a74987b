import { type Dialect, type SqlReader, type SqlValue, textsIn } from '../sql/sql.ts';
import type {
  ClaimFilter,
  EntryFilter,
  EventMark,
  Ledger,
  PaymentState,
  ReportState,
  RunRecord,
} from './ledger.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { isStorable } from './ledger-invariants.ts';
import { type LedgerRow, readBudget, readEntry, readEvent } from './ledger-rows.ts';
import { paymentStates, reportStates } from './ledger-states.ts';

/** Rows per page. */
export const pageSize = 500;

/** The mark of a ledger without events. */
export const noEvent: EventMark = { seq: 0, seal: '' };

export const selectLast = 'SELECT seq, seal, at_ms FROM event ORDER BY seq DESC LIMIT 1';

/** Selects the last event of each reward in the list parameter. */
export function selectLastEvents(dialect: Dialect): string {
  return `SELECT * FROM event
    WHERE seq IN (SELECT max(seq) FROM event WHERE reward_id IN ${textsIn(dialect, '$1')} GROUP BY reward_id)`;
}

/** Reads the event from a row of `selectLast`. */
export function readMark(row: LedgerRow): EventMark {
  return { seq: Number(row['seq']), seal: String(row['seal']) };
}

type Reads = Pick<
  Ledger,
  | 'find'
  | 'findSameReceipt'
  | 'entries'
  | 'events'
  | 'reversals'
  | 'lastSeq'
  | 'lastEvent'
  | 'lastEventAtMs'
  | 'hasEvent'
  | 'sums'
  | 'budgets'
  | 'lastRun'
>;

/** Reads a ledger. Every page is a separate query, so that no reader holds up writers or cleanup. */
export function createLedgerReads({ read }: Pick<LedgerAccess, 'read'>): Reads {
  const last = async () => (await read<LedgerRow>(selectLast))[0];
  const lastEvent = async () => {
    const row = await last();
    return row === undefined ? noEvent : readMark(row);
  };
  return {
    find: async (rewardId) => {
      // Such a name cannot be a query parameter.
      if (!isStorable(rewardId)) return undefined;
      const [row] = await read<LedgerRow>('SELECT * FROM reward WHERE reward_id = $1', [rewardId]);
      return row && readEntry(row);
    },
    findSameReceipt: async ({ ref, rewardId }) => {
      if (ref === null || !isStorable(rewardId)) return undefined;
      const [row] = await read<{ readonly reward_id: string }>(selectSameReceipt, [ref, rewardId]);
      return row?.reward_id;
    },
    entries: (filter = {}) => readPages(read, entryPages(filter), readEntry),
    events: (rewardId) =>
      readPages(
        read,
        rewardId === undefined ? eventPages('') : eventPages('AND reward_id = $2', rewardId),
        readEvent,
      ),
    reversals: () => readPages(read, eventPages("AND kind = 'reversed'"), readEvent),
    lastSeq: async () => (await lastEvent()).seq,
    lastEvent,
    lastEventAtMs: async () => {
      const row = await last();
      return row === undefined ? null : Number(row['at_ms']);
    },
    hasEvent: async ({ seq, seal }) => {
      if (seq === 0) return true;
      const select = 'SELECT 1 AS one FROM event WHERE seq = $1 AND seal = $2';
      return (await read(select, [BigInt(seq), seal])).length > 0;
    },
    sums: async () =>
      (await read<SumRow>(selectSums)).map(({ payment, report, count, units, parts }) => ({
        payment,
        report,
        count: Number(count),
        amount: BigInt(units) * 10_000n + BigInt(parts),
      })),
    budgets: async (prefix) => {
      const select =
        'SELECT * FROM budget WHERE substr(scope, 1, length(CAST($1 AS TEXT))) = $1 ORDER BY scope';
      return (await read<LedgerRow>(select, [prefix])).map((row) => readBudget(row).budget);
    },
    lastRun: async (command, which) => {
      const time = which === 'any' ? 'at_ms' : 'succeeded_ms';
      const select = `SELECT * FROM run WHERE command = $1 AND ${time} IS NOT NULL
        ORDER BY ${time} DESC, run DESC LIMIT 1`;
      const [row] = await read<RunRow>(select, [command]);
      return row && runOf(row);
    },
  };
}

type RunRow = Readonly<{ run: string; command: string; at_ms: bigint; succeeded_ms: bigint | null }>;

function runOf({ run, command, at_ms: atMs, succeeded_ms: succeededAtMs }: RunRow): RunRecord {
  return {
    run,
    command,
    atMs: Number(atMs),
    succeededAtMs: succeededAtMs === null ? null : Number(succeededAtMs),
  };
}

/**
 * Selects a reward that was paid before another one with the same receipt. Parameters: the receipt and the id of the
 * other reward. Receipts are indexed by prefix, since a long one fits in no index. Only rewards with this receipt that
 * were paid at the same time are skipped, so a payer that gives every payment the same receipt costs nothing more. An
 * event by a person says so in its detail; the text of a value there has no bare quote.
 */
const selectSameReceipt = `SELECT reward_id FROM reward
  WHERE substr(ref, 1, 200) = substr($1, 1, 200) AND ref = $1 AND reward_id <> $2
    AND (SELECT min(seq) FROM event WHERE event.reward_id = reward.reward_id AND event.payment = 'paid')
      < (SELECT max(seq) FROM event WHERE event.reward_id = $2 AND event.kind = 'paid'
           AND event.detail NOT LIKE '%"evidence":"person"%')
  LIMIT 1`;

/** Sums whole units and fractions separately: a sum over all rewards may exceed 64 bits. */
const selectSums = `SELECT payment, report, count(*) AS count,
    CAST(sum(owed / 10000) AS TEXT) AS units, CAST(sum(owed % 10000) AS TEXT) AS parts
  FROM (SELECT payment, report, coalesce(amount, seen_amount, 0) AS owed FROM reward) AS owing
  GROUP BY payment, report ORDER BY payment, report`;

interface SumRow {
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly count: bigint;
  readonly units: string;
  readonly parts: string;
}

/** The query of the rows after `last`, or of the first page. */
export type NextPage = (last: LedgerRow | undefined) => readonly [sql: string, values: readonly SqlValue[]];

/** Reads rows page by page and decodes each with `readRow`. */
export async function* readPages<T>(
  read: SqlReader['query'],
  nextPage: NextPage,
  readRow: (row: LedgerRow) => T,
): AsyncGenerator<readonly T[]> {
  for (let last: LedgerRow | undefined; ; ) {
    const rows = await read<LedgerRow>(...nextPage(last));
    if (rows.length > 0) yield rows.map(readRow);
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}

function eventPages(condition: string, ...values: readonly SqlValue[]): NextPage {
  const sql = `SELECT * FROM event WHERE seq > $1 ${condition} ORDER BY seq LIMIT ${pageSize}`;
  return (last) => [sql, [last?.['seq'] ?? 0n, ...values]];
}

function entryPages(filter: EntryFilter | ClaimFilter): NextPage {
  return 'claimedBy' in filter ? pagesByClaim(filter.claimedBy) : pagesByReward(filter);
}

/** One part per state, read in order along the index of states, so that every page costs the same. */
function pagesByReward({ payment, report, seenByRun }: EntryFilter): NextPage {
  const isSeen = seenByRun === undefined ? '' : 'AND seen_run = $2';
  const part = (condition: string) =>
    `SELECT * FROM (SELECT * FROM reward WHERE reward_id > $1 ${isSeen} ${condition}
      ORDER BY reward_id LIMIT ${pageSize}) AS part`;
  const states = paymentStates
    .filter((one) => payment?.includes(one) ?? true)
    .flatMap((one) =>
      reportStates
        .filter((other) => report?.includes(other) ?? true)
        .map((other) => part(`AND payment = '${one}' AND report = '${other}'`)),
    );
  const isAny = payment === undefined && report === undefined;
  const parts = isAny ? [part('')] : states.length === 0 ? [part('AND 1 = 0')] : states;
  const sql = `${parts.join(' UNION ALL ')} ORDER BY reward_id LIMIT ${pageSize}`;
  const run = seenByRun === undefined ? [] : [seenByRun];
  return (last) => [sql, [last?.['reward_id'] ?? '', ...run]];
}

/**
 * Ordered by the owner's first claim of each reward. Appending to `earlier.owner` keeps the database off the index of
 * owners: it searches the few claims of a reward instead of all claims of the owner.
 */
function pagesByClaim(owner: string): NextPage {
  const sql = `SELECT reward.*, claim.seq FROM event AS claim CROSS JOIN reward
    WHERE reward.reward_id = claim.reward_id AND claim.owner = $1 AND claim.seq > $2
      AND NOT EXISTS (SELECT 1 FROM event AS earlier
        WHERE earlier.reward_id = claim.reward_id AND earlier.seq < claim.seq AND earlier.owner || '' = $1)
    ORDER BY claim.seq LIMIT ${pageSize}`;
  return (last) => [sql, [owner, last?.['seq'] ?? 0n]];
}
