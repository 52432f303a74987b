import type { PushRunStart } from '../runs/run-log.ts';
import type { Sql, SqlReader, SqlValue, Transaction } from '../sql/sql.ts';
import type { AnswerRow } from './answers.ts';
import { stateMask, unpackEntries, unpackFates } from './columns.ts';
import { hashesOf } from './id-hash.ts';
import { type JournalPlace, nameOf, openSql } from './open-journal.ts';
import { deleteOpen, putAnswers, putRequests } from './put-rows.ts';
import { type IdRow, type JournalName, type JournalTables, makeTables, makeTablesIn } from './tables.ts';

/** Answers of one page: some 20,000 records. */
const answersAtOnce = 200;

/** Where a journal goes: a database, and the transaction of `Sql.make` in it. */
interface Target {
  readonly sql: Sql;
  readonly tx: Transaction;
  readonly name: JournalName;
}

/**
 * Copies all that one journal holds to another place. Requests under way are not part of it. Returns how many runs it
 * has; undefined if something is on record there already: two journals cannot become one.
 * @throws as `openJournal`.
 */
export async function copyJournal(
  from: JournalPlace,
  { sql, tx, name }: Target,
): Promise<number | undefined> {
  const source = await openSql(from);
  try {
    const to = { sql, state: await makeTablesIn(sql, tx, name) };
    for (const table of ['open', 'answer', 'run', 'page'])
      if ((await count(tx, table, to.state)) > 0) return undefined;
    return await copyTables(await makeTables(source, nameOf(from)), to, tx);
  } finally {
    await source.close();
  }
}

async function copyTables(from: JournalTables, to: JournalTables, tx: Transaction): Promise<number> {
  const copied = {
    answer: await copyAnswers(from, to, tx),
    run: await copyRuns(from, to, tx),
    page: await copyPages(from, to, tx),
  };
  for (const [table, rows] of Object.entries(copied)) {
    const found = await count(tx, table, to.state);
    if (found !== rows) throw new Error(`${found} rows of ${rows} were copied to push_${table}`);
  }
  return copied.run;
}

async function count({ query }: SqlReader, table: string, state: number): Promise<number> {
  const select = `SELECT count(*) AS count FROM push_${table} WHERE state = $1`;
  const [row] = await query<{ readonly count: bigint }>(select, [state]);
  return Number(row?.count ?? 0n);
}

async function copyAnswers(
  from: JournalTables,
  to: JournalTables,
  transaction: Transaction,
): Promise<number> {
  const select = `SELECT push_answer.id, kind, run, entries, fates
    FROM push_answer JOIN push_request ON push_request.id = push_answer.request
    WHERE push_answer.state = $1 AND push_answer.id > $2 ORDER BY push_answer.id LIMIT ${answersAtOnce}`;
  let count = 0;
  for (let last: bigint | number = 0; ; ) {
    const rows: readonly AnswerRow[] = await from.sql.read<AnswerRow>(select, [from.state, last]);
    await copyPage(to, transaction, rows);
    count += rows.length;
    if (rows.length < answersAtOnce) return count;
    last = rows.at(-1)?.id ?? last;
  }
}

/** Each with a request of its own, and with the hashes of the state that it comes to. */
async function copyPage(
  to: JournalTables,
  transaction: Transaction,
  rows: readonly AnswerRow[],
): Promise<void> {
  const requests = rows.map(({ kind, run, entries }) => ({ kind: Number(kind), run, packed: entries }));
  const ids = await putRequests(to.sql, transaction, to.state, requests);
  const answers = rows.map(({ entries: packed, fates }, at) => {
    const entries = unpackEntries(packed);
    const { states } = unpackFates(fates, entries.originIds.length);
    const hashes = hashesOf(to.state, entries, { states });
    return { request: ids[at] ?? 0, mask: stateMask(states), packed: fates, hashes };
  });
  await putAnswers(to, transaction, answers);
  await transaction.many(
    deleteOpen,
    ids.map((id) => [id]),
  );
}

async function copyRuns(from: JournalTables, to: JournalTables, { many }: Transaction): Promise<number> {
  const select = 'SELECT id, beginning, ending, is_replaced FROM push_run WHERE state = $1 ORDER BY id';
  const rows = await from.sql.read<Readonly<Record<'id' | 'beginning' | 'ending' | 'is_replaced', string>>>(
    select,
    [from.state],
  );
  await many(
    `INSERT INTO push_run (state, id, kind, shard_index, shard_count, beginning, ending, is_replaced)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    rows.map(({ id, beginning, ending, is_replaced }) => {
      const { kind, shard }: PushRunStart = JSON.parse(beginning);
      return [to.state, id, kind, shard?.index ?? null, shard?.count ?? null, beginning, ending, is_replaced];
    }),
  );
  return rows.length;
}

async function copyPages(from: JournalTables, to: JournalTables, { many }: Transaction): Promise<number> {
  const select = `SELECT id, run, content_kind, content FROM push_page
    WHERE state = $1 AND id > $2 ORDER BY id LIMIT ${answersAtOnce}`;
  let count = 0;
  for (let last: SqlValue = 0; ; ) {
    const rows: readonly PageRow[] = await from.sql.read<PageRow>(select, [from.state, last]);
    await many(
      'INSERT INTO push_page (state, run, content_kind, content) VALUES ($1, $2, $3, $4)',
      rows.map(({ run, content_kind, content }) => [to.state, run, content_kind, content]),
    );
    count += rows.length;
    if (rows.length < answersAtOnce) return count;
    last = rows.at(-1)?.id ?? last;
  }
}

interface PageRow extends IdRow {
  readonly run: string;
  readonly content_kind: string;
  readonly content: Uint8Array;
}
