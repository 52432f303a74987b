import { hasFields, isNumber, isText, parseJson } from '../../base/json.ts';
import { chunk } from '../../base/lists.ts';
import { nextRunId } from '../../base/run-id.ts';
import { type PushRunStart, type Run, type RunEnd, type RunLog, runsKept } from '../runs/run-log.ts';
import { areCounts, isRunTimeline } from '../runs/run-timeline.ts';
import { type Transaction, textsIn } from '../sql/sql.ts';
import { damagedJournal } from './journal-failure.ts';
import { pack, unpack } from './packed-json.ts';
import { type IdRow, type JournalTables, lockState } from './tables.ts';

/** The kinds of pages of a run: its timeline, noted outcomes, or kept records. */
type PageKind = 'timeline' | 'noted' | 'kept';

/** Outcomes per page. */
const pageSize = 500;

export const insertPage = 'INSERT INTO push_page (state, run, content_kind, content) VALUES ($1, $2, $3, $4)';

/** The run log in the tables of the journal. */
export function createRunLog(tables: JournalTables): RunLog {
  const { sql, state } = tables;

  /** Reads one page at a time, so that no reader holds up others. */
  async function* pagesOf<Item>(run: string, kind: PageKind): AsyncGenerator<readonly Item[]> {
    const select = `SELECT id, content FROM push_page
      WHERE state = $1 AND run = $2 AND content_kind = $3 AND id > $4 ORDER BY id LIMIT 1`;
    for (let last = 0n; ; ) {
      const parameters = [state, run, kind, last];
      const [row] = await sql.read<IdRow & { readonly content: Uint8Array }>(select, parameters);
      if (row === undefined) return;
      yield unpack<readonly Item[]>(row.content);
      last = row.id;
    }
  }

  const pageRow = (run: string, kind: PageKind, page: readonly unknown[]) => [state, run, kind, pack(page)];

  return {
    begin: (start) => sql.write((transaction) => beginRun(tables, transaction, start)),
    end: (run, end, timeline) =>
      sql.write(async ({ many }) => {
        const update = 'UPDATE push_run SET ending = $3 WHERE state = $1 AND id = $2';
        await many(update, [[state, run, JSON.stringify(end)]]);
        if (timeline !== undefined) await many(insertPage, [pageRow(run, 'timeline', [timeline])]);
      }),
    remove: (runs) => sql.write((transaction) => removeRuns(tables, transaction, runs)),
    list: async () => {
      const select = 'SELECT id, beginning, ending FROM push_run WHERE state = $1 ORDER BY id DESC';
      return (await sql.read<RunRow>(select, [state])).map(readRun);
    },
    timeline: async (run) => {
      for await (const [timeline] of pagesOf<unknown>(run, 'timeline'))
        return checked(run, timeline, isRunTimeline);
      return undefined;
    },
    note: (run, outcomes) => {
      const pages = chunk(outcomes, pageSize).map((page) => pageRow(run, 'noted', page));
      return sql.write(({ many }) => many(insertPage, pages));
    },
    noted: (run) => pagesOf(run, 'noted'),
    keep: (run, records) => sql.write(({ many }) => many(insertPage, [pageRow(run, 'kept', records)])),
    kept: (run) => pagesOf(run, 'kept'),
  };
}

/** Records a run. It replaces open runs that may send the same records: the caller holds their locks. */
async function beginRun(
  tables: JournalTables,
  transaction: Transaction,
  start: PushRunStart,
): Promise<string> {
  const { state } = tables;
  const { query, many } = transaction;
  const idsBehind = async (count: number, limit: number) => {
    const select = 'SELECT id FROM push_run WHERE state = $1 ORDER BY id DESC LIMIT $2 OFFSET $3';
    return (await query<{ readonly id: string }>(select, [state, limit, count])).map(({ id }) => id);
  };
  // Ids increase across all machines.
  await lockState(tables, query);
  const [last] = await idsBehind(0, 1);
  const oldest = await idsBehind(runsKept - 1, runsKept);
  const id = nextRunId(start.startedMs, last);
  const { kind, shard } = start;
  const part = [kind, shard?.index ?? null, shard?.count ?? null];
  await many(
    `UPDATE push_run SET is_replaced = 1
     WHERE state = $1 AND kind = $2 AND ending IS NULL
       AND (shard_index IS NOT DISTINCT FROM $3 OR shard_count IS DISTINCT FROM $4)`,
    [[state, ...part]],
  );
  await many(
    `INSERT INTO push_run (state, id, kind, shard_index, shard_count, beginning, is_replaced)
     VALUES ($1, $2, $3, $4, $5, $6, 0)`,
    [[state, id, ...part, JSON.stringify(start)]],
  );
  await removeRuns(tables, transaction, oldest);
  return id;
}

async function removeRuns(
  { sql, state }: JournalTables,
  { many }: Transaction,
  runs: readonly string[],
): Promise<void> {
  if (runs.length === 0) return;
  const parameters = [state, JSON.stringify(runs)];
  const among = textsIn(sql.dialect, '$2');
  await many(`DELETE FROM push_page WHERE state = $1 AND run IN ${among}`, [parameters]);
  await many(`DELETE FROM push_run WHERE state = $1 AND id IN ${among}`, [parameters]);
}

/** A run as stored; its start and end are JSON. */
interface RunRow {
  readonly id: string;
  readonly beginning: string;
  readonly ending: string | null;
}

/** @throws Failure('unreadable-path') if the row is not a run of this format. */
export function readRun({ id, beginning, ending }: RunRow): Run {
  const end = ending === null ? undefined : checked(id, parseJson(ending), isRunEnd);
  return { id, ...checked(id, parseJson(beginning), isRunStart), end };
}

function checked<T>(id: string, value: unknown, isValid: (value: unknown) => value is T): T {
  if (isValid(value)) return value;
  throw damagedJournal(`its record of run ${id} cannot be read`);
}

function isRunStart(value: unknown): value is PushRunStart {
  return hasFields(value, {
    kind: isText,
    command: areTexts,
    folder: isText,
    files: areTexts,
    plan: optional(isText),
    shard: optional((shard) => hasFields(shard, { index: isNumber, count: isNumber })),
    input: optional((input) => hasFields(input, { digest: isText, reading: isText, records: isNumber })),
    startedMs: isNumber,
  });
}

function isRunEnd(value: unknown): value is RunEnd {
  return hasFields(value, {
    endedMs: isNumber,
    exitCode: isNumber,
    tally: areCounts,
    isWhole: optional((isWhole) => typeof isWhole === 'boolean'),
  });
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function optional(check: (field: unknown) => boolean): (field: unknown) => boolean {
  return (field) => field === undefined || check(field);
}
