import { setImmediate } from 'node:timers/promises';
import { type Database, isDatabaseError } from '../../../base/sqlite.ts';
import { createHistoryCheck, totalsOfPostings, wrongInBudget } from '../../ledger/history-check.ts';
import { isSealed, type LedgerRow } from '../../ledger/ledger-rows.ts';
import { prepareExactQuery, prepareQuery } from '../query.ts';
import { openLedgerFile } from './ledger-file.ts';

/** Events of one page. */
const pageSize = 500;

/**
 * Every problem of the ledger at `path` at one instant, in words for a person. It reads over a connection of its own,
 * to see the file and not remembered entries; others may write meanwhile. `onChecked` as `Ledger.verify` has it.
 * @throws Failure as `openSqliteLedger` does.
 */
export async function* verifySqliteLedger(
  path: string,
  onChecked: (events: number) => void = () => undefined,
): AsyncGenerator<string> {
  const database = await openLedgerFile(path);
  try {
    database.exec('BEGIN');
    const histories = () => wrongInHistories(database, onChecked);
    for (const wrongIn of [wrongInFile, wrongInEvents, histories, wrongInBudgets, wrongInPlans]) {
      yield* asFarAsReadable(() => wrongIn(database));
    }
  } finally {
    // Closing alone would keep the old instant, and with it the log of all later writes, until much later.
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}

/** Yields what was found before a damaged place ended the reading, and that it did. */
async function* asFarAsReadable(
  wrong: () => Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string> {
  try {
    yield* wrong();
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    yield `the file: ${error.message}`;
  }
}

function* wrongInFile(database: Database): Generator<string> {
  for (const { integrity_check: words } of database.prepare('PRAGMA integrity_check').all()) {
    const lines = String(words).split('\n');
    for (const line of lines) if (line !== 'ok' && !line.startsWith('***')) yield `the file: ${line}`;
  }
}

function* wrongInEvents(database: Database): Generator<string> {
  const { first, last, count }: Readonly<Record<'first' | 'last' | 'count', number>> = database
    .prepare(
      'SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS last, count(*) AS count FROM event',
    )
    .get();
  if (first !== 1 || last !== count) yield `the events: ${count} of them are numbered ${first} to ${last}`;
}

async function* wrongInHistories(
  database: Database,
  onChecked: (events: number) => void,
): AsyncGenerator<string> {
  const selectEntry = prepareExactQuery<LedgerRow>(database, 'SELECT * FROM reward WHERE reward_id = ?');
  const check = createHistoryCheck((rewardId) => selectEntry.get(rewardId));
  let count = 0;
  for (const rows of eventsByReward(database)) {
    for (const row of rows) yield* check.add(row);
    count += rows.length;
    onChecked(count);
    // Reading is synchronous: signals and the terminal have their turn here.
    await setImmediate();
  }
  yield* check.end();
  yield* rewardsWithoutEvents(database);
}

function* rewardsWithoutEvents(database: Database): Generator<string> {
  const select = prepareQuery<{ readonly rewardId: string }>(
    database,
    'SELECT reward_id AS rewardId FROM reward WHERE NOT EXISTS (SELECT 1 FROM event WHERE event.reward_id = ' +
      'reward.reward_id)',
  );
  for (const { rewardId } of select.iterate()) {
    yield `reward ${rewardId}: it has no event`;
  }
}

function* eventsByReward(database: Database): Generator<readonly LedgerRow[]> {
  const select = prepareExactQuery<LedgerRow>(
    database,
    `SELECT * FROM event WHERE (reward_id, seq) > (?, ?) ORDER BY reward_id, seq LIMIT ${pageSize}`,
  );
  for (let last: LedgerRow | undefined; ; ) {
    const rows = select.all(last?.['reward_id'] ?? '', last?.['seq'] ?? 0n);
    yield rows;
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}

/** Adds up in the database what the events moved in each scope: there may be more scopes than memory should hold. */
function* wrongInBudgets(database: Database): Generator<string> {
  const select = prepareExactQuery<LedgerRow>(
    database,
    `WITH moved AS (
       SELECT scope.value AS scope, posting, posted_amount AS amount
       FROM event CROSS JOIN json_each(event.posted_scopes) AS scope WHERE posting IS NOT NULL
     ), ${totalsOfPostings}
     SELECT budget.*, total.scope AS event_scope,
       total.reserved_amount IS NOT budget.reserved_amount OR total.reserved_count IS NOT budget.reserved_count
         OR total.spent_amount IS NOT budget.spent_amount OR total.spent_count IS NOT budget.spent_count AS is_other
     FROM budget FULL OUTER JOIN total ON budget.scope = total.scope`,
  );
  for (const row of select.iterate()) {
    const wrong = wrongInBudget(row);
    if (wrong !== undefined) yield wrong;
  }
}

/** A plan that lost its row could be carried out once more. */
function* wrongInPlans(database: Database): Generator<string> {
  for (const row of prepareExactQuery<LedgerRow>(database, 'SELECT * FROM plan').iterate()) {
    if (!isSealed('plan', row)) yield `plan ${row['plan']}: it was changed after it was written`;
  }
  const select = prepareQuery<{ readonly plan: string }>(
    database,
    `SELECT DISTINCT detail ->> '$.plan' AS plan FROM event
     WHERE kind = 'claimed' AND detail ->> '$.plan' IS NOT NULL AND detail ->> '$.plan' NOT IN (SELECT plan FROM plan)`,
  );
  for (const { plan } of select.iterate()) {
    yield `plan ${plan}: payments were made by it, and it is not on record`;
  }
}
