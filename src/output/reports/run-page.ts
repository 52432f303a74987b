import { basename } from 'node:path';
import { isoIn } from '../../base/korean-time.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Run } from '../../store/runs/run-log.ts';
import { counted, countsInWords, elapsedInWords, grouped } from '../terminal/totals.ts';
import { dataTable, foldedTable } from './data-table.ts';
import type { Html } from './html.ts';
import { type KeyFigure, nextSection, type Page, section } from './page.ts';
import type { RefusalReason } from './refusal-reasons.ts';
import type { RunSummary } from './run-summary.ts';

/** A run and what is known of it. */
export interface ReportedRun {
  readonly run: Run;
  readonly state: 'running' | 'ended' | 'killed';
  /** The summary as monitors receive it; undefined for a run that did not end. */
  readonly summary: RunSummary | undefined;
  /** The commands that a person may run next. */
  readonly next: readonly string[];
}

/** The data of a report of runs, the oldest run first. */
export interface RunReport {
  readonly runs: readonly ReportedRun[];
  readonly reasons: readonly RefusalReason[];
  readonly timeZone: string;
  /** True if ids and quoted values may be shown. */
  readonly withIds: boolean;
  readonly footer: string;
}

/** The page about one run, or about the shards of one push. */
export function runPage(report: RunReport): Page {
  const { runs, reasons, timeZone, withIds, footer } = report;
  const kinds = [...new Set(runs.map(({ run }) => run.kind))].join(', ');
  const ids = runs.map(({ run }) => run.id);
  return {
    kind: 'Run report',
    title: ids.length === 1 ? `${kinds} push ${ids[0]}` : `${kinds}: ${counted(ids.length, 'run')} as one`,
    lead: leadOf(report),
    figures: keyFigures(runs),
    sections: [
      refusalSection(reasons, withIds),
      nextSection(runs.flatMap(({ next }) => next)),
      section('Runs', undefined, runsTable(runs, timeZone, withIds)),
    ],
    footer,
  };
}

function leadOf({ runs, timeZone }: RunReport): string {
  const files = [...new Set(runs.flatMap(({ run }) => run.files.map((file) => basename(file))))];
  const [first] = runs;
  const started = first === undefined ? '' : `, started ${timeOf(first.run.startedMs, timeZone)}`;
  return `${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}${started}`;
}

function keyFigures(runs: readonly ReportedRun[]): readonly KeyFigure[] {
  const tally: Record<string, number> = {};
  for (const { summary } of runs)
    for (const [word, count] of Object.entries(summary?.counts ?? {}))
      tally[word] = (tally[word] ?? 0) + count;
  const records = Object.values(tally).reduce((sum, count) => sum + count, 0);
  const { rejected = 0, failed = 0, unknown = 0 } = tally;
  const refused = rejected + failed;
  const elapsedMs = durationOf(runs);
  return [
    { name: 'Records', value: grouped(records), note: countsInWords(tally) || 'none' },
    { name: 'Refused or failed', value: grouped(refused), tone: refused === 0 ? undefined : 'bad' },
    { name: 'Unknown', value: grouped(unknown), tone: unknown === 0 ? undefined : 'odd' },
    exitFigure(runs),
    { name: 'Time', value: elapsedMs === undefined ? 'not ended' : elapsedInWords(elapsedMs) },
  ];
}

function durationOf(runs: readonly ReportedRun[]): number | undefined {
  const ends = runs.map(({ run }) => run.end?.endedMs);
  if (ends.includes(undefined)) return undefined;
  const started = Math.min(...runs.map(({ run }) => run.startedMs));
  return Math.max(1, ...ends.map((end = 0) => end - started));
}

function exitFigure(runs: readonly ReportedRun[]): KeyFigure {
  const unended = runs.find(({ state }) => state !== 'ended');
  if (unended !== undefined) return { name: 'Result', value: unended.state, tone: 'warn' };
  const ends = new Map(
    runs.flatMap(({ summary }) =>
      summary === undefined ? [] : [[summary.exitCode, summary.meaning] as const],
    ),
  );
  const codes = [...ends.keys()].toSorted((one, other) => one - other);
  const [meaning = ''] = ends.values();
  return {
    name: 'Exit code',
    value: codes.join(', '),
    note: ends.size === 1 ? meaning.split(/[,:;]/)[0] : undefined,
    tone: codes.every((code) => code === 0) ? 'good' : 'warn',
  };
}

function refusalSection(reasons: readonly RefusalReason[], withIds: boolean): Html {
  if (reasons.length === 0)
    return section('Refused records', 'No record was rejected, failed or left unknown.');
  const note = withIds ? undefined : 'Quotations of records are omitted from reasons; --with-ids shows them.';
  const overview = dataTable({
    caption: 'Reasons, the most frequent first',
    columns: ['Reason', 'Outcome', 'records', 'First'],
    rows: reasons.map(({ reason, outcome, count, records: [first] }) => [
      reason,
      outcome,
      count,
      first === undefined ? '' : `${shownFile(first.file)}:${first.line}`,
    ]),
  });
  const details = reasons.map((reason) => recordsOf(reason, withIds));
  return section('Refused records', note, overview, ...details);
}

function recordsOf({ reason, count, records }: RefusalReason, withIds: boolean): Html | undefined {
  if (records.length === 0) return undefined;
  const shown = records.length < count ? `the first ${grouped(records.length)} of ` : '';
  return foldedTable({
    caption: `${reason}: ${shown}${counted(count, 'record')}`,
    columns: ['File', 'line', ...(withIds ? ['Origin id'] : [])],
    rows: records.map(({ file, line, originId }) => [shownFile(file), line, ...(withIds ? [originId] : [])]),
  });
}

function runsTable(runs: readonly ReportedRun[], timeZone: string, withIds: boolean): Html {
  return dataTable({
    caption: 'Runs of this report',
    columns: ['Run', 'Started', 'State', 'exit', 'Outcomes', 'Command'],
    rows: runs.map(({ run, state, summary }) => [
      run.id,
      timeOf(run.startedMs, timeZone),
      state,
      summary?.exitCode ?? null,
      countsInWords(summary?.counts ?? {}),
      shownCommand(run.command, withIds),
    ]),
  });
}

/** A path without its folders, which may contain the name of a person. */
function shownFile(path: string): string {
  const folderEnd = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  if (path.includes('://') || path.includes(' /') || folderEnd === -1 || folderEnd === path.length - 1)
    return path;
  return path.slice(0, path.lastIndexOf('=', folderEnd) + 1) + path.slice(folderEnd + 1);
}

/** A command as typed, without folders and without values of --set, which may be personal data. */
function shownCommand(command: readonly string[], withIds: boolean): string {
  const words = withIds
    ? command
    : command.map((word, index) =>
        command[index - 1] === '--set' || word.startsWith('--set=')
          ? word.replace(/^((?:--set=)?[^=]*=).*$/s, '$1…')
          : shownFile(word),
      );
  return `reviewctl ${words.map(shellWord).join(' ')}`;
}

function timeOf(ms: number, timeZone: string): string {
  return `${isoIn(ms, timeZone).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ')} ${timeZone}`;
}
