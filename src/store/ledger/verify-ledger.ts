import { setImmediate } from 'node:timers/promises';
import type { Dialect, SqlReader } from '../sql/sql.ts';
import { createHistoryCheck, wrongInReward } from './history-check.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { type NextPage, pageSize, readPages, selectLastEvents } from './ledger-reads.ts';
import { isSealed, type LedgerRow } from './ledger-rows.ts';

/** A ledger at one instant. */
interface Instant {
  readonly reader: SqlReader;
  readonly dialect: Dialect;
  readonly onChecked: (events: number) => void;
  /** The plans of the claims read so far. */
  readonly plans: Set<string>;
}

type Check = (instant: Instant) => AsyncIterable<string>;

/** Checks the file of a ledger that has its own. */
export interface FileCheck {
  readonly check: (reader: SqlReader) => AsyncIterable<string>;
  /** Describes an error caused by a damaged file; undefined for any other error. */
  readonly wrongBy: (error: unknown) => string | undefined;
}

/**
 * Describes every problem of a ledger at one instant to a person, while others may write. A server checks its own
 * pages. For `onChecked`, see `Ledger.verify`.
 */
export async function* verifyLedger(
  { dialect, snapshot }: Pick<LedgerAccess, 'dialect' | 'snapshot'>,
  file: FileCheck | undefined,
  onChecked: Instant['onChecked'] = () => undefined,
): AsyncGenerator<string> {
  const ofFile: readonly Check[] = file === undefined ? [] : [({ reader }) => file.check(reader)];
  const checks: readonly Check[] = [
    ...ofFile,
    wrongInEvents,
    wrongInHistories,
    wrongInRewards,
    wrongInBudgets,
    wrongInPlans,
  ];
  const reader = await snapshot();
  try {
    const instant = { reader, dialect, onChecked, plans: new Set<string>() };
    for (const check of checks) yield* asFarAsReadable(check(instant), file);
  } finally {
    await reader.close();
  }
}

/** Damage to the file ends one check, not the others. */
async function* asFarAsReadable(
  problems: AsyncIterable<string>,
  file: FileCheck | undefined,
): AsyncGenerator<string> {
  try {
    yield* problems;
  } catch (error) {
    const wrong = file?.wrongBy(error);
    if (wrong === undefined) throw error;
    yield wrong;
  }
}

async function* wrongInEvents({ reader }: Instant): AsyncGenerator<string> {
  const [events] = await reader.query<Readonly<Record<'first' | 'last' | 'count', bigint>>>(
    'SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS last, count(*) AS count FROM event',
  );
  if (events === undefined) return;
  const { first, last, count } = events;
  if (first !== 1n || last !== count) yield `the events: there are ${count}, numbered ${first} to ${last}`;
}

async function* wrongInHistories({ reader, onChecked, plans }: Instant): AsyncGenerator<string> {
  const check = createHistoryCheck();
  let count = 0;
  for await (const events of readPages(reader.query, nextEvents, asIs)) {
    for (const event of events) {
      const why = check(event);
      if (why !== undefined) yield why;
      const plan = planOf(event);
      if (plan !== undefined) plans.add(plan);
    }
    count += events.length;
    onChecked(count);
    // SQLite reads without a pause; this lets signals and timers run.
    await setImmediate();
  }
}

const nextEvents: NextPage = (last) => [
  `SELECT * FROM event WHERE (reward_id, seq) > ($1, $2) ORDER BY reward_id, seq LIMIT ${pageSize}`,
  [last?.['reward_id'] ?? '', last?.['seq'] ?? 0n],
];

const asIs = (row: LedgerRow) => row;

async function* wrongInRewards({ reader, dialect }: Instant): AsyncGenerator<string> {
  const select = `SELECT * FROM reward WHERE reward_id > $1 ORDER BY reward_id LIMIT ${pageSize}`;
  const pages = readPages(reader.query, (last) => [select, [last?.['reward_id'] ?? '']], asIs);
  for await (const rewards of pages) {
    const rewardIds = JSON.stringify(rewards.map((row) => row['reward_id']));
    const events = await reader.query<LedgerRow>(selectLastEvents(dialect), [rewardIds]);
    const lastEvents = new Map(events.map((event) => [event['reward_id'], event]));
    for (const row of rewards) {
      const why = wrongInReward(row, lastEvents.get(row['reward_id']));
      if (why !== undefined) yield why;
    }
    await setImmediate();
  }
  const gone = await reader.query<LedgerRow>(
    `SELECT DISTINCT reward_id FROM event
     WHERE NOT EXISTS (SELECT 1 FROM reward WHERE reward.reward_id = event.reward_id)`,
  );
  for (const row of gone) yield `reward ${row['reward_id']}: it is missing, but has events`;
}

/** Sums the postings of each scope in the database, since all scopes may not fit in memory. */
async function* wrongInBudgets({ reader, dialect }: Instant): AsyncGenerator<string> {
  const sums = (table: string) =>
    ['reserved_amount', 'reserved_count', 'spent_amount', 'spent_count']
      .map((name) => `${table}.${name}`)
      .join();
  const others = await reader.query<{ readonly scope: string }>(
    `WITH moved AS (
       SELECT scope.value AS scope, posting, posted_amount AS amount
       FROM event CROSS JOIN ${dialect.eachText('event.posted_scopes')} AS scope WHERE posting IS NOT NULL
     ), total AS (
       SELECT scope,
         sum(CASE posting WHEN 'reserve' THEN amount ELSE -amount END) AS reserved_amount,
         sum(CASE posting WHEN 'reserve' THEN 1 ELSE -1 END) AS reserved_count,
         sum(CASE posting WHEN 'spend' THEN amount ELSE 0 END) AS spent_amount,
         sum(CASE posting WHEN 'spend' THEN 1 ELSE 0 END) AS spent_count
       FROM moved GROUP BY scope
     )
     SELECT coalesce(budget.scope, total.scope) AS scope FROM budget FULL OUTER JOIN total ON budget.scope = total.scope
     WHERE (${sums('total')}) IS DISTINCT FROM (${sums('budget')})`,
  );
  for (const { scope } of others) yield `budget ${scope}: it differs from the sum of the events`;
  const known = new Set(others.map(({ scope }) => scope));
  const select = `SELECT * FROM budget WHERE scope > $1 ORDER BY scope LIMIT ${pageSize}`;
  const pages = readPages(reader.query, (last) => [select, [last?.['scope'] ?? '']], asIs);
  for await (const rows of pages) {
    for (const row of rows)
      if (!known.has(String(row['scope'])) && !isSealed('budget', row))
        yield `budget ${row['scope']}: it was changed after it was written`;
    await setImmediate();
  }
}

/** A plan without its row could be executed again. */
async function* wrongInPlans({ reader, plans }: Instant): AsyncGenerator<string> {
  const known = new Set<string>();
  for (const row of await reader.query<LedgerRow>('SELECT * FROM plan')) {
    known.add(String(row['plan']));
    if (!isSealed('plan', row)) yield `plan ${row['plan']}: it was changed after it was written`;
  }
  for (const plan of plans)
    if (!known.has(plan)) yield `plan ${plan}: it is missing, but payments were made by it`;
}

/** The plan of a claim, if it has one. */
function planOf(event: LedgerRow): string | undefined {
  const detail = String(event['detail']);
  if (event['kind'] !== 'claimed' || !detail.includes('"plan"')) return undefined;
  const { plan } = JSON.parse(detail) as { readonly plan?: string };
  return plan;
}
