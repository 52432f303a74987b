import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { RunLog, RunRecord } from '../../runs/run-log.ts';
import type { JournalAccess } from './access.ts';

/** The records of runs, in pages of a few bytes a record. */
export function createRunRecords({ database, commit, read }: JournalAccess): Pick<RunLog, 'keep' | 'kept'> & {
  /** Within a transaction. */
  readonly remove: (run: string) => void;
} {
  const selectLast = database.prepare('SELECT max(position) AS last FROM run_record WHERE run = ?');
  const insertPage = database.prepare('INSERT INTO run_record (run, position, records) VALUES (?, ?, ?)');
  const selectPage = database.prepare(
    'SELECT position, records FROM run_record WHERE run = ? AND position > ? ORDER BY position LIMIT 1',
  );
  const deletePages = database.prepare('DELETE FROM run_record WHERE run = ?');
  return {
    keep: (run, records) => {
      const page = packPage(records);
      return commit.write(() => {
        const { last }: { readonly last: number | null } = selectLast.get(run);
        insertPage.run(run, (last ?? 0) + 1, page);
      });
    },
    kept: async function* (run) {
      for (let last = 0; ; ) {
        const row: PageRow | undefined = read(() => selectPage.get(run, last));
        if (row === undefined) return;
        yield unpackPage(row.records);
        last = row.position;
      }
    },
    remove: (run) => {
      deletePages.run(run);
    },
  };
}

interface PageRow {
  readonly position: number;
  readonly records: Uint8Array;
}

/** A value and how often it follows itself. */
type Repetition = readonly [value: string, count: number];

/** A page before it is packed. Lines are written as differences from the line before. */
type PageColumns = readonly [
  files: readonly Repetition[],
  lines: readonly number[],
  originIds: readonly string[],
  outcomes: readonly Repetition[],
];

function packPage(records: readonly RunRecord[]): Uint8Array {
  const columns: PageColumns = [
    repetitionsOf(records.map(({ file }) => file)),
    records.map(({ line }, at) => line - (records[at - 1]?.line ?? 0)),
    records.map(({ originId }) => originId),
    repetitionsOf(records.map(({ outcome = '' }) => outcome)),
  ];
  return deflateRawSync(JSON.stringify(columns), { level: 1 });
}

function unpackPage(page: Uint8Array): readonly RunRecord[] {
  const columns: PageColumns = JSON.parse(inflateRawSync(page).toString());
  const [files, lines, originIds, outcomes] = [
    valuesOf(columns[0]),
    columns[1],
    columns[2],
    valuesOf(columns[3]),
  ];
  let line = 0;
  return originIds.map((originId, at) => {
    line += lines[at] ?? 0;
    const outcome = outcomes[at] || undefined;
    return { file: files[at] ?? '', line, originId, ...(outcome === undefined ? {} : { outcome }) };
  });
}

function repetitionsOf(values: readonly string[]): readonly Repetition[] {
  const repetitions: [string, number][] = [];
  for (const value of values) {
    const last = repetitions.at(-1);
    if (last?.[0] === value) last[1] += 1;
    else repetitions.push([value, 1]);
  }
  return repetitions;
}

function valuesOf(repetitions: readonly Repetition[]): readonly string[] {
  return repetitions.flatMap(([value, count]) => new Array<string>(count).fill(value));
}
