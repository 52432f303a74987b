import { nextRunId } from '../../../base/run-id.ts';
import { type RunRow, readRun, readTimeline } from '../../journal/packed/run-row.ts';
import { type PushRunStart, type RunLog, runsKept } from '../../runs/run-log.ts';
import type { Connection } from '../../sql/connection.ts';
import type { JournalAccess } from './journal-access.ts';
import { createRunPages } from './run-pages.ts';

/** Tables with what is kept of a run besides its own row. */
const tablesOfRun = ['push_timeline', 'push_noted', 'push_run_record'];

type Tables = Pick<JournalAccess, 'schema' | 'state'>;

/** The runs in the tables of the journal. */
export function createRunLog(access: JournalAccess): RunLog {
  const { schema, state, read, write } = access;
  return {
    ...createRunPages(access),
    begin: (start) => write((connection) => beginRun(connection, access, start)),
    end: (run, end, timeline) =>
      write(async ({ query }, defer) => {
        const update = `UPDATE ${schema}.push_run SET "end" = $3 WHERE state = $1 AND id = $2`;
        defer(query(update, [state, run, JSON.stringify(end)]));
        if (timeline === undefined) return;
        const insert = `INSERT INTO ${schema}.push_timeline VALUES ($1, $2, $3)
          ON CONFLICT (state, run) DO UPDATE SET timeline = EXCLUDED.timeline`;
        defer(query(insert, [state, run, JSON.stringify(timeline)]));
      }),
    remove: (runs) => write((connection) => removeRuns(connection, access, runs)),
    timeline: async (run) => {
      const select = `SELECT timeline FROM ${schema}.push_timeline WHERE state = $1 AND run = $2`;
      const [row] = await read<{ readonly timeline: string }>(select, [state, run]);
      return row === undefined ? undefined : readTimeline(run, row.timeline);
    },
    list: async () => {
      const select = `SELECT id, start, "end" FROM ${schema}.push_run WHERE state = $1 ORDER BY id DESC`;
      return (await read<RunRow>(select, [state])).map(readRun);
    },
  };
}

/** Puts a run on record, in place of those that may send the same records: the caller holds their locks. */
async function beginRun(connection: Connection, tables: Tables, start: PushRunStart): Promise<string> {
  const { query } = connection;
  const { schema, state } = tables;
  const idsBehind = async (count: number, limit: number | null) => {
    const select = `SELECT id FROM ${schema}.push_run WHERE state = $1 ORDER BY id DESC OFFSET $2 LIMIT $3`;
    return (await query<Pick<RunRow, 'id'>>(select, [state, count, limit])).map(({ id }) => id);
  };
  const [, [last], oldest] = await Promise.all([
    // Ids count up over all machines.
    query(`SELECT 1 FROM ${schema}.push_state WHERE id = $1 FOR UPDATE`, [state]),
    idsBehind(0, 1),
    idsBehind(runsKept - 1, null),
  ]);
  const id = nextRunId(start.startedMs, last);
  const { kind, shard } = start;
  const part = [kind, shard?.index ?? null, shard?.count ?? null];
  await Promise.all([
    query(
      `UPDATE ${schema}.push_run SET is_replaced = true
       WHERE state = $1 AND kind = $2 AND "end" IS NULL AND NOT is_replaced
         AND (shard_index IS NOT DISTINCT FROM $3 OR shard_count IS DISTINCT FROM $4)`,
      [state, ...part],
    ),
    query(
      `INSERT INTO ${schema}.push_run (state, id, kind, shard_index, shard_count, start)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [state, id, ...part, JSON.stringify(start)],
    ),
  ]);
  if (oldest.length > 0) await removeRuns(connection, tables, oldest);
  return id;
}

async function removeRuns(
  { query }: Connection,
  { schema, state }: Tables,
  runs: readonly string[],
): Promise<void> {
  const parameters = [state, runs];
  await Promise.all([
    ...tablesOfRun.map((table) =>
      query(`DELETE FROM ${schema}.${table} WHERE state = $1 AND run = ANY($2::text[])`, parameters),
    ),
    query(`DELETE FROM ${schema}.push_run WHERE state = $1 AND id = ANY($2::text[])`, parameters),
  ]);
}
