import type { PushRunStart } from '../runs/run-log.ts';
import type { Sql, SqlReader, Transaction } from '../sql/sql.ts';
import type { AnswerRow } from './answers.ts';
import { unpackEntries, unpackOutcomes } from './columns.ts';
import { openSql } from './open-journal.ts';
import { putEnded } from './put-rows.ts';
import { insertPage } from './run-log.ts';
import {
  type IdRow,
  type JournalPlace,
  type JournalTables,
  lockState,
  makeTables,
  makeTablesIn,
} from './tables.ts';

/** Rows per page; a page of answers has some 20,000 records. */
const rowsAtOnce = 200;

/** The target of a copy: a database, and the transaction of `Sql.make` in it. */
interface Target {
  readonly sql: Sql;
  readonly tx: Transaction;
  readonly place: JournalPlace;
}

/**
 * Copies a snapshot of a journal to another place, which nobody can start to use meanwhile. Leaves out requests in
 * progress. Returns the number of runs; undefined if the target has records already, since two journals cannot be
 * merged.
 * @throws as `openJournal`.
 */
export async function copyJournal(
  from: JournalPlace,
  { sql, tx, place }: Target,
): Promise<number | undefined> {
  const source = await openSql(from);
  try {
    const to = { sql, state: await makeTablesIn(sql, tx, place) };
    await lockState(to, tx.query);
    for (const table of ['open', 'answer', 'run', 'page'])
      if ((await count(tx, table, to.state)) > 0) return undefined;
    const { state } = await makeTables(source, from);
    const snapshot = await source.snapshot();
    try {
      return await copyTables({ ...snapshot, state }, to, tx);
    } finally {
      await snapshot.close();
    }
  } finally {
    await source.close();
  }
}

/** A snapshot of a journal. */
interface Source extends SqlReader {
  readonly state: number;
}

/** @throws Error if the numbers of rows differ, by a bug or because another process has begun to use the target. */
async function copyTables(from: Source, to: JournalTables, tx: Transaction): Promise<number> {
  await copyAnswers(from, to, tx);
  const runs = await copyRuns(from, to, tx);
  await copyPages(from, to, tx);
  for (const table of ['answer', 'run', 'page']) {
    const [sent, arrived] = [await count(from, table, from.state), await count(tx, table, to.state)];
    if (sent !== arrived) throw new Error(`push_${table} has ${arrived} rows of ${sent}`);
  }
  return runs;
}

async function count({ query }: SqlReader, table: string, state: number): Promise<number> {
  const select = `SELECT count(*) AS count FROM push_${table} WHERE state = $1`;
  const [row] = await query<{ readonly count: bigint }>(select, [state]);
  return Number(row?.count ?? 0n);
}

async function copyAnswers(from: Source, to: JournalTables, tx: Transaction): Promise<void> {
  const select = `SELECT push_answer.id, run, entries, fates
    FROM push_answer JOIN push_request ON push_request.id = push_answer.request
    WHERE push_answer.state = $1 AND push_answer.id > $2 ORDER BY push_answer.id`;
  for await (const rows of pagesOf<AnswerRow>(from, select)) await copyPage(to, tx, rows);
}

/** Pages of the rows whose id is greater than the last one. */
async function* pagesOf<Row extends IdRow>(from: Source, select: string): AsyncGenerator<readonly Row[]> {
  for (let last: bigint | undefined = 0n; last !== undefined; ) {
    const rows: readonly Row[] = await from.query<Row>(`${select} LIMIT ${rowsAtOnce}`, [from.state, last]);
    yield rows;
    last = rows.at(-1)?.id;
  }
}

/** Each answer gets its own request, and hashes of the target state. */
async function copyPage(to: JournalTables, tx: Transaction, rows: readonly AnswerRow[]): Promise<void> {
  const ended = rows.map(({ run, ...packed }) => {
    const entries = unpackEntries(packed.entries);
    return { run, entries, outcomes: unpackOutcomes(packed.fates, entries.originIds.length) };
  });
  await putEnded(to, tx, ended);
}

async function copyRuns(from: Source, to: JournalTables, { many }: Transaction): Promise<number> {
  const select = 'SELECT id, beginning, ending, is_replaced FROM push_run WHERE state = $1 ORDER BY id';
  const rows = await from.query<Readonly<Record<'id' | 'beginning' | 'ending' | 'is_replaced', string>>>(
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

async function copyPages(from: Source, to: JournalTables, { many, query }: Transaction): Promise<void> {
  const select = `SELECT id, run, content_kind, content FROM push_page
    WHERE state = $1 AND id > $2 ORDER BY id`;
  for await (const rows of pagesOf<PageRow>(from, select)) {
    await many(
      insertPage,
      rows.map(({ run, content_kind, content }) => [to.state, run, content_kind, content]),
    );
    // Waits until all pages sent before have arrived.
    await query('SELECT 1 AS one');
  }
}

interface PageRow extends IdRow {
  readonly run: string;
  readonly content_kind: string;
  readonly content: Uint8Array;
}
