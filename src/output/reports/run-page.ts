import { basename } from 'node:path';
import { exitCodes, isExitCode } from '../../base/failure.ts';
import { timeInWords } from '../../base/korean-time.ts';
import type { NotedOutcome, Run } from '../../store/runs/run-log.ts';
import { countsInWords, elapsedInWords, grouped } from '../terminal/totals.ts';
import { dataTable } from './data-table.ts';
import type { Html } from './html.ts';
import { type KeyFigure, nextSection, type Page, section } from './page.ts';
import type { RefusalReason } from './refusal-reasons.ts';

/** The data of a report of a run. */
export interface RunReport {
  readonly run: Run;
  readonly state: 'running' | 'ended' | 'killed';
  readonly reasons: readonly RefusalReason[];
  readonly timeZone: string;
  /** True if ids and quoted values may be shown. */
  readonly withIds: boolean;
  /** The commands that a person may run next. */
  readonly next: readonly string[];
  readonly footer: string;
}

/** The page about one run. */
export function runPage({ run, state, reasons, timeZone, withIds, next, footer }: RunReport): Page {
  const tally = run.end?.tally ?? {};
  const { rejected = 0, failed = 0, unknown = 0 } = tally;
  const records = Object.values(tally).reduce((sum, count) => sum + count, 0);
  const refused = rejected + failed;
  const files = run.files.map((file) => basename(file)).join(', ');
  return {
    kind: 'Run report',
    title: `${run.kind} push ${run.id}`,
    lead: `${files}, started ${timeInWords(run.startedMs, timeZone)}`,
    figures: [
      { name: 'Records', value: grouped(records), note: countsInWords(tally) || 'none' },
      { name: 'Refused or failed', value: grouped(refused), tone: refused === 0 ? undefined : 'bad' },
      { name: 'Unknown', value: grouped(unknown), tone: unknown === 0 ? undefined : 'odd' },
      ...endFigures(run, state),
    ],
    sections: [refusalSection(reasons, withIds), nextSection(next)],
    footer,
  };
}

function endFigures({ startedMs, end }: Run, state: RunReport['state']): readonly KeyFigure[] {
  if (end === undefined) return [{ name: 'Result', value: state, tone: 'warn' }];
  const { exitCode, endedMs } = end;
  const meaning = isExitCode(exitCode) ? exitCodes[exitCode].split(/[,:;]/)[0] : undefined;
  return [
    { name: 'Exit code', value: String(exitCode), note: meaning, tone: exitCode === 0 ? 'good' : 'warn' },
    { name: 'Time', value: elapsedInWords(endedMs - startedMs) },
  ];
}

function refusalSection(reasons: readonly RefusalReason[], withIds: boolean): Html {
  const heading = 'Refused records';
  if (reasons.length === 0) return section(heading, 'No record was rejected, failed or left unknown.');
  const note = withIds ? undefined : 'Quotations of records are omitted from reasons; --with-ids shows them.';
  const table = dataTable({
    caption: 'Reasons, the most frequent first',
    columns: ['Reason', 'Outcome', 'records', 'First'],
    rows: reasons.map(({ reason, outcome, count, first }) => [
      reason,
      outcome,
      count,
      first.map((record) => placeOf(record, withIds)).join(', '),
    ]),
  });
  return section(heading, note, table);
}

/** A record by its line in a file. The folders of the file, which may contain the name of a person, are omitted. */
function placeOf({ file, line, originId }: NotedOutcome, withIds: boolean): string {
  const place = `${basename(file)}:${line}`;
  return withIds ? `${place} ${originId}` : place;
}
