import { createHistoryCheck, totalsOfPostings, wrongInBudget } from '../ledger/history-check.ts';
import type { PostgresLedgerLocation } from '../ledger/ledger-location.ts';
import { isSealed, type LedgerRow } from '../ledger/ledger-rows.ts';
import { type Connection, connect } from '../sql/connection.ts';
import { quoted } from './ledger-schema.ts';

/** Events of one page. */
const pageSize = 500;

/** A session that sees one instant, and the schema in it. */
interface Reading {
  readonly connection: Connection;
  readonly schema: string;
}

/**
 * Every problem of a ledger at one instant, in words for a person; others may write meanwhile. Whether its pages are
 * intact is for the server to check (data checksums, pg_amcheck). `onChecked` as `Ledger.verify` has it.
 * @throws Failure as `connect`.
 */
export async function* verifyPostgresLedger(
  location: PostgresLedgerLocation,
  onChecked: (events: number) => void = () => undefined,
): AsyncGenerator<string> {
  const connection = await connect(location);
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const reading = { connection, schema: quoted(location.address.schema) };
    yield* wrongInEvents(reading);
    yield* wrongInHistories(reading, onChecked);
    yield* wrongInBudgets(reading);
    yield* wrongInPlans(reading);
  } finally {
    await connection.close();
  }
}

async function* wrongInEvents({ connection, schema }: Reading): AsyncGenerator<string> {
  const [events] = await connection.query<Readonly<Record<'first' | 'last' | 'count', bigint>>>(
    `SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS last, count(*) AS count FROM ${schema}.event`,
  );
  if (events === undefined) return;
  const { first, last, count } = events;
  if (first !== 1n || last !== count) yield `the events: ${count} of them are numbered ${first} to ${last}`;
}

async function* wrongInHistories(
  reading: Reading,
  onChecked: (events: number) => void,
): AsyncGenerator<string> {
  let rewards: ReadonlyMap<string, LedgerRow> = new Map();
  const check = createHistoryCheck((rewardId) => rewards.get(rewardId));
  let count = 0;
  for (let last: LedgerRow | undefined; ; ) {
    const events = await eventsAfter(reading, last);
    // The reward of the last event of a page is judged in the next one.
    const ids = [last, ...events].flatMap((row) => (row === undefined ? [] : String(row['reward_id'])));
    rewards = await rewardsOf(reading, [...new Set(ids)]);
    for (const event of events) yield* check.add(event);
    count += events.length;
    onChecked(count);
    if (events.length < pageSize) break;
    last = events.at(-1);
  }
  yield* check.end();
  yield* rewardsWithoutEvents(reading);
}

function eventsAfter(
  { connection, schema }: Reading,
  last: LedgerRow | undefined,
): Promise<readonly LedgerRow[]> {
  return connection.query<LedgerRow>(
    `SELECT * FROM ${schema}.event WHERE (reward_id, seq) > ($1, $2) ORDER BY reward_id, seq LIMIT ${pageSize}`,
    [last?.['reward_id'] ?? '', last?.['seq'] ?? 0n],
  );
}

async function rewardsOf(
  { connection, schema }: Reading,
  rewardIds: readonly string[],
): Promise<ReadonlyMap<string, LedgerRow>> {
  const select = `SELECT * FROM ${schema}.reward WHERE reward_id = ANY($1::text[])`;
  const rows = await connection.query<LedgerRow>(select, [rewardIds]);
  return new Map(rows.map((row) => [String(row['reward_id']), row]));
}

async function* rewardsWithoutEvents({ connection, schema }: Reading): AsyncGenerator<string> {
  const rows = await connection.query<{ readonly reward_id: string }>(
    `SELECT reward_id FROM ${schema}.reward AS reward
     WHERE NOT EXISTS (SELECT 1 FROM ${schema}.event AS event WHERE event.reward_id = reward.reward_id)`,
  );
  for (const { reward_id: rewardId } of rows) yield `reward ${rewardId}: it has no event`;
}

/** Adds up in the database what the events moved in each scope, and returns only what is to be looked at. */
async function* wrongInBudgets({ connection, schema }: Reading): AsyncGenerator<string> {
  const rows = await connection.query<LedgerRow>(
    `WITH moved AS (
       SELECT scope, posting, posted_amount AS amount
       FROM ${schema}.event AS event, jsonb_array_elements_text(event.posted_scopes::jsonb) AS scope
       WHERE posting IS NOT NULL
     ), ${totalsOfPostings}
     SELECT budget.*, total.scope AS event_scope,
       ((total.reserved_amount, total.reserved_count, total.spent_amount, total.spent_count) IS DISTINCT FROM
         (budget.reserved_amount, budget.reserved_count, budget.spent_amount, budget.spent_count))::int::bigint
         AS is_other
     FROM ${schema}.budget AS budget FULL OUTER JOIN total ON budget.scope = total.scope`,
  );
  for (const row of rows) {
    const wrong = wrongInBudget(row);
    if (wrong !== undefined) yield wrong;
  }
}

/** A plan that lost its row could be carried out once more. */
async function* wrongInPlans({ connection, schema }: Reading): AsyncGenerator<string> {
  for (const row of await connection.query<LedgerRow>(`SELECT * FROM ${schema}.plan`)) {
    if (!isSealed('plan', row)) yield `plan ${row['plan']}: it was changed after it was written`;
  }
  const rows = await connection.query<{ readonly plan: string }>(
    `WITH claim AS MATERIALIZED (
       SELECT DISTINCT detail::jsonb ->> 'plan' AS plan FROM ${schema}.event WHERE kind = 'claimed'
     )
     SELECT plan FROM claim WHERE plan IS NOT NULL AND plan NOT IN (SELECT plan FROM ${schema}.plan)`,
  );
  for (const { plan } of rows) yield `plan ${plan}: payments were made by it, and it is not on record`;
}
