import { Failure } from '../../../base/failure.ts';
import type { CopiedRun, JournalCopy } from '../../journal/journal-copy.ts';
import { type Answer, type AnswerRow, answerOf } from '../../journal/packed/answer.ts';
import { kindOf, stateCodes } from '../../journal/packed/enum-codes.ts';
import { maskOf } from '../../journal/packed/fate-codec.ts';
import type { PushRunStart } from '../../runs/run-log.ts';
import { type Connection, withConnection } from '../../sql/connection.ts';
import { inTransaction, quoted } from '../ledger-schema.ts';
import { int4Array } from './binary-parameters.ts';
import { createHashes, type Hashes } from './hashes.ts';
import type { PostgresJournalLocation } from './journal-access.ts';
import { makeState } from './journal-schema.ts';

/** The tables with the rows of one state. */
const tables = ['push_request', 'push_answer', 'push_timeline', 'push_noted', 'push_run_record', 'push_run'];

/** How much of each a journal holds. */
type JournalSize = Readonly<Record<'answers' | 'runs' | 'pages', number>>;

/** What the rows of a state are written with. */
interface Target {
  readonly connection: Connection;
  readonly schema: string;
  readonly state: number;
  readonly hashes: Hashes;
}

/**
 * Puts a copy in place of all that the journal of this state holds, completely or not at all. What was noted of runs is
 * not part of it.
 * @throws Failure('unreadable-path') where other numbers of rows are there afterwards.
 */
export function putJournalCopy(location: PostgresJournalLocation, copy: JournalCopy): Promise<void> {
  return withConnection(location, async (connection) => {
    const state = await makeState(connection, location);
    const schema = quoted(location.address.schema);
    const target = { connection, schema, state, hashes: createHashes(state) };
    const put = { answers: 0, runs: 0, pages: 0 };
    await inTransaction(connection, async () => {
      for (const table of tables)
        await connection.query(`DELETE FROM ${schema}.${table} WHERE state = $1`, [state]);
      for (const page of copy.answers()) {
        const areKnown = await Promise.all(page.map((row) => putAnswer(target, row)));
        put.answers += areKnown.filter(Boolean).length;
      }
      for (const run of copy.runs()) {
        put.pages += await putRun(target, run, copy.records(run.id));
        put.runs += 1;
      }
    });
    checkSize(location.path, await countRows(target), put);
  });
}

/** False for one of which nothing is known any more; it is left out. */
async function putAnswer({ connection, schema, state, hashes }: Target, row: AnswerRow): Promise<boolean> {
  const answer = answerOf(row);
  const found = foundIn(answer, hashes);
  if (found.records.size === 0) return false;
  await connection.query(
    `INSERT INTO ${schema}.push_answer (state, kind, run, mask, hashes, order_hashes, entries, fates)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[state, row.kind, row.run, found.mask],
      ...[int4Array([...found.records]), int4Array([...found.orders]), row.entries, row.fates],
    ],
    'put-answer',
  );
  return true;
}

/** By what an answer is found: as `packEnd` has it. */
function foundIn({ entries, fates }: Answer, hashes: Hashes) {
  const [records, orders] = [new Set<number>(), new Set<number>()];
  let mask = 0;
  for (let position = 0; position < entries.count; position += 1) {
    const state = fates.stateAt(position);
    mask |= maskOf(state);
    if (state === stateCodes.none) continue;
    records.add(hashes.ofRecord(kindOf(entries.kindCodeAt(position)), entries.originIdAt(position)));
    const order = entries.orderAt(position);
    if (order !== undefined) orders.add(hashes.ofOrder(order));
  }
  return { mask, records, orders };
}

/** Returns how many pages were kept of it. */
async function putRun(
  { connection: { query }, schema, state }: Target,
  { id, start, end, timeline }: CopiedRun,
  records: Iterable<Uint8Array>,
): Promise<number> {
  const { kind, shard }: PushRunStart = JSON.parse(start);
  await query(
    `INSERT INTO ${schema}.push_run (state, id, kind, shard_index, shard_count, start, "end")
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [state, id, kind, shard?.index ?? null, shard?.count ?? null, start, end],
  );
  if (timeline !== null)
    await query(`INSERT INTO ${schema}.push_timeline VALUES ($1, $2, $3)`, [state, id, timeline]);
  const insertPage = `INSERT INTO ${schema}.push_run_record (state, run, records) VALUES ($1, $2, $3)`;
  let pages = 0;
  for (const page of records) {
    await query(insertPage, [state, id, page]);
    pages += 1;
  }
  return pages;
}

async function countRows({ connection, schema, state }: Target): Promise<JournalSize> {
  const count = (table: string) => `(SELECT count(*) FROM ${schema}.${table} WHERE state = $1)::integer`;
  const [size] = await connection.query<JournalSize>(
    `SELECT ${count('push_answer')} AS answers, ${count('push_run')} AS runs, ${count('push_run_record')} AS pages`,
    [state],
  );
  return size ?? { answers: 0, runs: 0, pages: 0 };
}

function checkSize(path: string, found: JournalSize, put: JournalSize): void {
  const wrong = (['answers', 'runs', 'pages'] as const).find((name) => found[name] !== put[name]);
  if (wrong === undefined) return;
  throw new Failure(
    'unreadable-path',
    `${path} has ${found[wrong]} ${wrong} of the ${put[wrong]} that were written; nothing was moved`,
    'check the server, then run the same command again',
  );
}
