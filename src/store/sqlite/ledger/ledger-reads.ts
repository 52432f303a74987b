import type { Database } from '../../../base/sqlite.ts';
import type {
  EntryFilter,
  EventMark,
  Ledger,
  PaymentState,
  ReportState,
  RunStart,
  StateSum,
} from '../../ledger/ledger.ts';
import { type LedgerRow, readBudget, readEvent } from '../../ledger/ledger-rows.ts';
import { paymentStates, reportStates, selectedStates } from '../../ledger/ledger-states.ts';
import { sameReceiptSql } from '../../ledger/same-receipt.ts';
import { prepareExactQuery, prepareQuery, type Query } from '../query.ts';
import type { LedgerAccess } from './ledger-access.ts';
import type { LedgerEntries } from './ledger-entries.ts';

/** Rows of one page. */
const pageSize = 500;

type Reads = Pick<
  Ledger,
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

/** Reads a ledger in SQLite. Every page is a read of its own, so no reader blocks writers. */
export function createLedgerReads(
  { database, read, cover }: LedgerAccess,
  rowEntries: Pick<LedgerEntries, 'ofRow'>,
): Reads {
  const selectSeq = prepareQuery<{ readonly seq: number }>(
    database,
    'SELECT coalesce(max(seq), 0) AS seq FROM event',
  );
  const selectLast = prepareQuery<EventMark>(
    database,
    'SELECT seq, seal FROM event ORDER BY seq DESC LIMIT 1',
  );
  const selectLastAt = prepareQuery<{ readonly atMs: number }>(
    database,
    'SELECT at_ms AS atMs FROM event ORDER BY seq DESC LIMIT 1',
  );
  const selectEvent = database.prepare('SELECT 1 FROM event WHERE seq = ? AND seal = ?');
  const selectRuns = prepareQuery<RunStart>(
    database,
    'SELECT run, command, at_ms AS atMs FROM run ORDER BY at_ms DESC, run DESC LIMIT ?',
  );
  const selectSameReceipt = prepareQuery<{ readonly reward_id: string }>(
    database,
    sameReceiptSql('', ['?1', '?2']),
  );
  const prepare = preparedOnce(database);
  return {
    findSameReceipt: async ({ ref, rewardId }) =>
      ref === null ? undefined : read(() => selectSameReceipt.get(ref, rewardId)?.reward_id),
    entries: (filter = {}) => {
      const nextPage = entryPages(prepare, filter);
      let version: unknown;
      const readPage: NextPage = (last) => {
        version = cover.version();
        return nextPage(last);
      };
      return readPages(read, readPage, (row) => rowEntries.ofRow(row, version));
    },
    events: (rewardId) => readPages(read, eventPages(prepare, rewardId), readEvent),
    reversals: () => readPages(read, reversalPages(prepare), readEvent),
    lastSeq: () => read(() => selectSeq.get()?.seq ?? 0),
    lastEvent: () => read(() => selectLast.get() ?? { seq: 0, seal: '' }),
    lastEventAtMs: () => read(() => selectLastAt.get()?.atMs ?? null),
    hasEvent: ({ seq, seal }) =>
      read(
        () => seq === 0 || selectEvent.get(seq, seal) !== undefined,
        // The caller knows of the event from a process that found it on the disk.
        () => true,
      ),
    sums: () => read(() => readSums(database)),
    runs: (limit) => read(() => selectRuns.all(limit)),
    budgets: (prefix) =>
      read(() =>
        prepareExactQuery<LedgerRow>(
          database,
          'SELECT * FROM budget WHERE substr(scope, 1, length(:prefix)) = :prefix ORDER BY scope',
        )
          .all({ prefix })
          .map((row) => readBudget(row).budget),
      ),
  };
}

type Prepare = (sql: string) => Query<LedgerRow>;

/** Statements are kept, since preparing one with a part for each state takes longer than reading a page. */
function preparedOnce(database: Database): Prepare {
  const prepared = new Map<string, Query<LedgerRow>>();
  return (sql) => {
    const statement = prepared.get(sql) ?? prepareExactQuery<LedgerRow>(database, sql);
    prepared.set(sql, statement);
    return statement;
  };
}

/** The rows behind the last one read; `undefined` asks for the first page. */
type NextPage = (last: LedgerRow | undefined) => readonly LedgerRow[];

async function* readPages<T>(
  read: LedgerAccess['read'],
  nextPage: NextPage,
  readRow: (row: LedgerRow) => T,
): AsyncGenerator<readonly T[]> {
  for (let last: LedgerRow | undefined; ; ) {
    const rows = await read(() => nextPage(last));
    if (rows.length > 0) yield rows.map(readRow);
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}

function eventPages(prepare: Prepare, rewardId: string | undefined): NextPage {
  const isOfReward = rewardId === undefined ? '' : 'AND reward_id = :rewardId';
  const select = prepare(
    `SELECT * FROM event WHERE seq > :last ${isOfReward} ORDER BY seq LIMIT ${pageSize}`,
  );
  return (last) =>
    select.all({
      last: last?.['seq'] ?? 0n,
      ...(rewardId === undefined ? {} : { rewardId }),
    });
}

function reversalPages(prepare: Prepare): NextPage {
  const select = prepare(
    `SELECT * FROM event WHERE seq > :last AND kind = 'reversed' ORDER BY seq LIMIT ${pageSize}`,
  );
  return (last) => select.all({ last: last?.['seq'] ?? 0n });
}

function entryPages(prepare: Prepare, filter: EntryFilter): NextPage {
  return filter.claimedBy === undefined
    ? pagesByReward(prepare, filter)
    : pagesByClaim(prepare, filter, filter.claimedBy);
}

/** One part for each state, read in order along the index of states, so that every page costs the same. */
function pagesByReward(prepare: Prepare, { payment, report, seenByRun, after, upTo }: EntryFilter): NextPage {
  const isSeen = seenByRun === undefined ? '' : 'AND seen_run = :run';
  const isWithin = upTo === undefined ? '' : 'AND reward_id <= :upTo';
  const part = (condition: string) =>
    `SELECT * FROM (SELECT * FROM reward WHERE reward_id > :last ${isSeen} ${isWithin} ${condition}
     ORDER BY reward_id LIMIT ${pageSize})`;
  const parts =
    payment === undefined && report === undefined
      ? [part('')]
      : selectedStates(payment, report).map((state) =>
          part(`AND payment = '${state.payment}' AND report = '${state.report}'`),
        );
  if (parts.length === 0) return () => [];
  const select = prepare(`${parts.join(' UNION ALL ')} ORDER BY reward_id LIMIT ${pageSize}`);
  return (last) =>
    select.all({
      last: last?.['reward_id'] ?? after ?? '',
      ...(seenByRun === undefined ? {} : { run: seenByRun }),
      ...(upTo === undefined ? {} : { upTo }),
    });
}

/**
 * In the order of the first claim of each reward by this owner. The `+` makes SQLite look through the few claims of a
 * reward instead of all claims of the owner.
 */
function pagesByClaim(
  prepare: Prepare,
  { payment, report, seenByRun }: EntryFilter,
  owner: string,
): NextPage {
  const select = prepare(
    `SELECT reward.*, claim.seq FROM event AS claim CROSS JOIN reward ON reward.reward_id = claim.reward_id
     WHERE claim.owner = :owner AND claim.seq > :last
       AND reward.payment IN (SELECT value FROM json_each(:payments))
       AND reward.report IN (SELECT value FROM json_each(:reports))
       AND (:run IS NULL OR reward.seen_run = :run)
       AND NOT EXISTS (SELECT 1 FROM event AS earlier
         WHERE earlier.reward_id = claim.reward_id AND earlier.seq < claim.seq AND +earlier.owner = :owner)
     ORDER BY claim.seq LIMIT ${pageSize}`,
  );
  return (last) =>
    select.all({
      owner,
      last: last?.['seq'] ?? 0n,
      payments: JSON.stringify(payment ?? paymentStates),
      reports: JSON.stringify(report ?? reportStates),
      run: seenByRun ?? null,
    });
}

/** Whole units and the rest are added apart: a sum over all rewards may be more than 64 bits hold. */
function readSums(database: Database): StateSum[] {
  const rows = prepareExactQuery<SumRow>(
    database,
    `SELECT payment, report, count(*) AS count, sum(owed / 10000) AS units, sum(owed % 10000) AS parts
     FROM (SELECT payment, report, coalesce(amount, seen_amount, 0) AS owed FROM reward)
     GROUP BY payment, report ORDER BY payment, report`,
  ).all();
  return rows.map(({ payment, report, count, units, parts }) => ({
    payment,
    report,
    count: Number(count),
    amount: units * 10_000n + parts,
  }));
}

interface SumRow {
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly count: bigint;
  readonly units: bigint;
  readonly parts: bigint;
}
