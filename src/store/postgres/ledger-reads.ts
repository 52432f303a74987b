import type { EntryFilter, Ledger, LedgerEntry, PaymentState, ReportState } from '../ledger/ledger.ts';
import { isStorable } from '../ledger/ledger-invariants.ts';
import { type LedgerRow, readBudget, readEntry, readEvent } from '../ledger/ledger-rows.ts';
import { paymentStates, reportStates, selectedStates } from '../ledger/ledger-states.ts';
import { sameReceiptSql } from '../ledger/same-receipt.ts';
import type { Parameter } from '../sql/connection.ts';
import type { LedgerAccess } from './ledger-access.ts';

/** Rows of one page. */
const pageSize = 500;

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
  | 'runs'
>;

/** Reads a ledger in PostgreSQL. Every page is a query of its own, so no reader holds up the server's tidying. */
export function createLedgerReads({ schema, read }: LedgerAccess): Reads {
  const lastEvent = async () => {
    const [last] = await read<Readonly<{ seq: bigint; seal: string }>>(
      `SELECT seq, seal FROM ${schema}.event ORDER BY seq DESC LIMIT 1`,
      [],
      'last-event',
    );
    return last === undefined ? { seq: 0, seal: '' } : { seq: Number(last.seq), seal: last.seal };
  };
  return {
    find: sharedFind(async (rewardIds) => {
      const select = `SELECT * FROM ${schema}.reward WHERE reward_id = ANY($1::text[])`;
      return (await read<LedgerRow>(select, [rewardIds], 'find')).map(readEntry);
    }),
    findSameReceipt: async ({ ref, rewardId }) => {
      if (ref === null || !isStorable(rewardId)) return undefined;
      const select = sameReceiptSql(`${schema}.`, ['$1', '$2']);
      const [row] = await read<{ readonly reward_id: string }>(select, [ref, rewardId], 'same-receipt');
      return row?.reward_id;
    },
    entries: (filter = {}) => readPages(read, entryPages(schema, filter), readEntry),
    events: (rewardId) => readPages(read, eventPages(schema, rewardId), readEvent),
    reversals: () => readPages(read, reversalPages(schema), readEvent),
    lastSeq: async () => (await lastEvent()).seq,
    lastEvent,
    lastEventAtMs: async () => {
      const select = `SELECT at_ms FROM ${schema}.event ORDER BY seq DESC LIMIT 1`;
      const [last] = await read<{ readonly at_ms: bigint }>(select);
      return last === undefined ? null : Number(last.at_ms);
    },
    hasEvent: async ({ seq, seal }) => {
      if (seq === 0) return true;
      const select = `SELECT 1 FROM ${schema}.event WHERE seq = $1 AND seal = $2`;
      return (await read(select, [seq, seal], 'has-event')).length > 0;
    },
    sums: async () => {
      const rows = await read<SumRow>(
        `SELECT payment, report, count(*) AS count, sum(coalesce(amount, seen_amount, 0))::text AS amount
         FROM ${schema}.reward GROUP BY payment, report ORDER BY payment, report`,
      );
      return rows.map(({ payment, report, count, amount }) => ({
        payment,
        report,
        count: Number(count),
        amount: BigInt(amount),
      }));
    },
    budgets: async (prefix) => {
      const select = `SELECT * FROM ${schema}.budget WHERE starts_with(scope, $1) ORDER BY scope`;
      return (await read<LedgerRow>(select, [prefix])).map((row) => readBudget(row).budget);
    },
    runs: async (limit) => {
      const select = `SELECT run, command, at_ms FROM ${schema}.run ORDER BY at_ms DESC, run DESC LIMIT $1`;
      const rows = await read<Readonly<{ run: string; command: string; at_ms: bigint }>>(select, [limit]);
      return rows.map(({ at_ms: atMs, ...run }) => ({ ...run, atMs: Number(atMs) }));
    },
  };
}

/** What is looked for in one turn of the event loop is found by one query. */
function sharedFind(find: (rewardIds: readonly string[]) => Promise<readonly LedgerEntry[]>): Ledger['find'] {
  interface Look {
    readonly rewardIds: Set<string>;
    readonly found: Promise<ReadonlyMap<string, LedgerEntry>>;
  }
  let next: Look | undefined;
  const begin = (): Look => {
    const rewardIds = new Set<string>();
    const found = new Promise(setImmediate).then(async () => {
      next = undefined;
      const entries = await find([...rewardIds]);
      return new Map(entries.map((entry) => [entry.rewardId, entry]));
    });
    return { rewardIds, found };
  };
  return async (rewardId) => {
    // No query takes another name.
    if (!isStorable(rewardId)) return undefined;
    next ??= begin();
    next.rewardIds.add(rewardId);
    return (await next.found).get(rewardId);
  };
}

interface SumRow {
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly count: bigint;
  readonly amount: string;
}

/** The query of the rows behind the last one read; `undefined` asks for the first page. */
type NextPage = (last: LedgerRow | undefined) => {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
};

async function* readPages<T>(
  read: LedgerAccess['read'],
  nextPage: NextPage,
  readRow: (row: LedgerRow) => T,
): AsyncGenerator<readonly T[]> {
  for (let last: LedgerRow | undefined; ; ) {
    const { sql, parameters } = nextPage(last);
    const rows = await read<LedgerRow>(sql, parameters);
    if (rows.length > 0) yield rows.map(readRow);
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}

function eventPages(schema: string, rewardId: string | undefined): NextPage {
  const isOfReward = rewardId === undefined ? '' : 'AND reward_id = $2';
  const sql = `SELECT * FROM ${schema}.event WHERE seq > $1 ${isOfReward} ORDER BY seq LIMIT ${pageSize}`;
  return (last) => ({
    sql,
    parameters: [last?.['seq'] ?? 0n, ...(rewardId === undefined ? [] : [rewardId])],
  });
}

function reversalPages(schema: string): NextPage {
  const sql = `SELECT * FROM ${schema}.event WHERE seq > $1 AND kind = 'reversed' ORDER BY seq LIMIT ${pageSize}`;
  return (last) => ({ sql, parameters: [last?.['seq'] ?? 0n] });
}

function entryPages(schema: string, filter: EntryFilter): NextPage {
  return filter.claimedBy === undefined
    ? pagesByReward(schema, filter)
    : pagesByClaim(schema, filter, filter.claimedBy);
}

/** One part for each state, read in order along the index of states, so that every page costs the same. */
function pagesByReward(schema: string, { payment, report, seenByRun, after, upTo }: EntryFilter): NextPage {
  const more = [seenByRun, upTo].filter((value) => value !== undefined);
  const isSeen = seenByRun === undefined ? '' : 'AND seen_run = $2';
  const isWithin = upTo === undefined ? '' : `AND reward_id <= $${more.length + 1}`;
  const part = (condition: string) =>
    `(SELECT * FROM ${schema}.reward WHERE reward_id > $1 ${isSeen} ${isWithin} ${condition}
      ORDER BY reward_id LIMIT ${pageSize})`;
  const parts =
    payment === undefined && report === undefined
      ? [part('')]
      : selectedStates(payment, report).map((state) =>
          part(`AND payment = '${state.payment}' AND report = '${state.report}'`),
        );
  const none = `SELECT * FROM ${schema}.reward WHERE reward_id > $1 ${isSeen} ${isWithin} AND false`;
  const all = parts.length === 0 ? none : parts.join(' UNION ALL ');
  const sql = `SELECT * FROM (${all}) AS page ORDER BY reward_id LIMIT ${pageSize}`;
  return (last) => ({
    sql,
    parameters: [last?.['reward_id'] ?? after ?? '', ...more],
  });
}

/** In the order of the first claim of each reward by this owner. */
function pagesByClaim(schema: string, { payment, report, seenByRun }: EntryFilter, owner: string): NextPage {
  const sql = `SELECT reward.*, claim.seq FROM ${schema}.event AS claim
    JOIN ${schema}.reward AS reward ON reward.reward_id = claim.reward_id
    WHERE claim.owner = $1 AND claim.seq > $2 AND reward.payment = ANY($3::text[]) AND reward.report = ANY($4::text[])
      AND ($5::text IS NULL OR reward.seen_run = $5)
      AND NOT EXISTS (SELECT 1 FROM ${schema}.event AS earlier
        WHERE earlier.reward_id = claim.reward_id AND earlier.seq < claim.seq AND earlier.owner = $1)
    ORDER BY claim.seq LIMIT ${pageSize}`;
  return (last) => ({
    sql,
    parameters: [
      owner,
      last?.['seq'] ?? 0n,
      payment ?? paymentStates,
      report ?? reportStates,
      seenByRun ?? null,
    ],
  });
}
