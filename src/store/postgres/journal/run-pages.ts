import { packPage, unpackPage } from '../../journal/packed/run-page.ts';
import type { NotedOutcome, RunLog, RunRecord } from '../../runs/run-log.ts';
import type { JournalAccess } from './journal-access.ts';

/** Outcomes of one page. */
const pageSize = 500;

/** What is kept of the records of runs, a page a row. */
export function createRunPages({
  schema,
  state,
  read,
  write,
}: JournalAccess): Pick<RunLog, 'note' | 'noted' | 'keep' | 'kept'> {
  /** One page after the other, so that no reader holds up the server. */
  async function* pagesOf<Row, Item>(
    table: string,
    run: string,
    itemsOf: (row: Row) => readonly Item[],
  ): AsyncGenerator<readonly Item[]> {
    const select = `SELECT * FROM ${schema}.${table} WHERE state = $1 AND run = $2 AND position > $3
      ORDER BY position LIMIT 1`;
    for (let last = 0n; ; ) {
      const [row] = await read<Row & { readonly position: bigint }>(select, [state, run, last]);
      if (row === undefined) return;
      yield itemsOf(row);
      last = row.position;
    }
  }

  return {
    note: (run, outcomes) =>
      write(async ({ query }, defer) => {
        const insert = `INSERT INTO ${schema}.push_noted (state, run, outcomes) VALUES ($1, $2, $3)`;
        for (let first = 0; first < outcomes.length; first += pageSize) {
          const page = outcomes.slice(first, first + pageSize);
          defer(query(insert, [state, run, JSON.stringify(page)]));
        }
      }),
    noted: (run) => pagesOf('push_noted', run, notedPage),
    keep: (run, records) => {
      const page = packPage(records);
      return write(async ({ query }, defer) => {
        const insert = `INSERT INTO ${schema}.push_run_record (state, run, records) VALUES ($1, $2, $3)`;
        defer(query(insert, [state, run, page]));
      });
    },
    kept: (run) => pagesOf('push_run_record', run, recordPage),
  };
}

function notedPage({ outcomes }: { readonly outcomes: string }): readonly NotedOutcome[] {
  return JSON.parse(outcomes);
}

function recordPage({ records }: { readonly records: Uint8Array }): readonly RunRecord[] {
  return unpackPage(records);
}
