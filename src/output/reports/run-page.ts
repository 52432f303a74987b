import { basename } from 'node:path';
import { isoIn } from '../../base/korean-time.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type OutcomeWord, outcomeWords } from '../../push/steps/outcome.ts';
import type { Run } from '../../store/runs/run-log.ts';
import {
  addCounts,
  countLatencies,
  latencyPercentile,
  type RunTimeline,
} from '../../store/runs/run-timeline.ts';
import { counted, countsInWords, elapsedInWords, grouped } from '../terminal/totals.ts';
import { chartFigure, type Tone } from './chart.ts';
import { dataTable, foldedTable } from './data-table.ts';
import type { Html } from './html.ts';
import { type KeyFigure, nextSection, type Page, section } from './page.ts';
import type { RefusalReason } from './refusal-reasons.ts';
import {
  allLatencies,
  type Course,
  latencyInWords,
  mergeTimelines,
  percentileCells,
  percentiles,
} from './run-figures.ts';
import type { RunSummary } from './run-summary.ts';

/** A run and the available data of its course. */
export interface ReportedRun {
  readonly run: Run;
  readonly state: 'running' | 'ended' | 'killed';
  /** The summary as monitors receive it; undefined for a run that did not end. */
  readonly summary: RunSummary | undefined;
  readonly timeline: RunTimeline | undefined;
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

const tones: Readonly<Record<OutcomeWord, Tone>> = {
  created: 'good',
  updated: 'fine',
  unchanged: 'pale',
  queued: 'calm',
  skipped: 'pale',
  rejected: 'warn',
  failed: 'bad',
  unknown: 'odd',
};

/** The page about one run, or about the shards of one push. */
export function runPage(report: RunReport): Page {
  const { runs, reasons, timeZone, withIds, footer } = report;
  const tally = runs.reduce((sum, { summary }) => addCounts(sum, summary?.counts ?? {}), {});
  const placed = runs.flatMap(({ run: { startedMs }, timeline }) =>
    timeline === undefined || timeline.intervals.length === 0 ? [] : [{ startedMs, timeline }],
  );
  const course = placed.length === 0 ? undefined : mergeTimelines(placed);
  const kinds = [...new Set(runs.map(({ run }) => run.kind))].join(', ');
  const ids = runs.map(({ run }) => run.id);
  return {
    kind: 'Run report',
    title: ids.length === 1 ? `${kinds} push ${ids[0]}` : `${kinds}: ${counted(ids.length, 'run')} as one`,
    lead: leadOf(report),
    figures: keyFigures(runs, tally, course),
    sections: [
      ...(course === undefined
        ? [section('Course', 'No course of these runs is recorded: they are still running, or were killed.')]
        : courseSections(course, tally, timeZone)),
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

function keyFigures(
  runs: readonly ReportedRun[],
  tally: Readonly<Record<string, number>>,
  course: Course | undefined,
): readonly KeyFigure[] {
  const records = Object.values(tally).reduce((sum, count) => sum + count, 0);
  const { rejected = 0, failed = 0, unknown = 0 } = tally;
  const refused = rejected + failed;
  const elapsedMs = durationOf(runs);
  const latencies = course === undefined ? {} : allLatencies(course);
  const requests = countLatencies(latencies);
  const p95 = latencyPercentile(latencies, percentiles.p95);
  return [
    { name: 'Records', value: grouped(records), note: countsInWords(tally) || 'none' },
    { name: 'Refused or failed', value: grouped(refused), tone: refused === 0 ? undefined : 'bad' },
    { name: 'Unknown', value: grouped(unknown), tone: unknown === 0 ? undefined : 'odd' },
    exitFigure(runs),
    { name: 'Time', value: elapsedMs === undefined ? 'not ended' : elapsedInWords(elapsedMs) },
    ...(course === undefined
      ? []
      : [
          {
            name: 'Requests',
            value: grouped(requests),
            note:
              elapsedMs === undefined ? undefined : `${rateInWords(requests / (elapsedMs / 1000))} a second`,
          },
        ]),
    ...(p95 === undefined ? [] : [{ name: 'Latency p95', value: latencyInWords(p95) }]),
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

function courseSections(course: Course, tally: Readonly<Record<string, number>>, timeZone: string): Html[] {
  const { startedMs, intervalMs, intervals } = course;
  const spanMs = intervals.length * intervalMs;
  const labels = intervals.map((_, index) => shortTime(startedMs + index * intervalMs, timeZone, spanMs));
  const each = `each ${elapsedInWords(intervalMs).replace('.0 ', ' ')}`;
  return [
    section('Outcomes over time', `Records by outcome, ${each}.`, outcomesFigure(course, tally, labels)),
    section('Requests a second', `Every attempt, ${each}.`, requestsFigure(course, labels)),
    section(
      'Latency',
      'From sending a request to the end of its reply, within 5 %.',
      latencyFigure(course, labels),
    ),
    section('Requests by operation', undefined, operationsTable(course)),
  ];
}

function outcomesFigure(
  { intervals }: Course,
  tally: Readonly<Record<string, number>>,
  labels: readonly string[],
) {
  const words = outcomeWords.filter((word) => (tally[word] ?? 0) > 0);
  return chartFigure({
    kind: 'columns',
    title: 'Records by outcome over time',
    of: 'Time',
    labels,
    columns: words.map((word) => ({
      header: word,
      tone: tones[word],
      cells: intervals.map(({ outcomes }) => outcomes[word] ?? 0),
    })),
  });
}

function requestsFigure({ intervals, intervalMs }: Course, labels: readonly string[]) {
  const requests = intervals.map(({ latencies }) => countLatencies(latencies));
  const rates = requests.map((count) => count / (intervalMs / 1000));
  return chartFigure({
    kind: 'lines',
    title: 'Requests a second over time',
    of: 'Time',
    labels,
    columns: [
      { header: 'requests', cells: requests },
      {
        header: 'a second',
        name: 'requests a second',
        tone: 'accent',
        cells: rates.map((value) => ({ text: rateInWords(value), value })),
      },
    ],
    inWords: rateInWords,
  });
}

function latencyFigure({ intervals }: Course, labels: readonly string[]) {
  const tonesOf = ['good', 'warn', 'bad'] as const;
  const cells = intervals.map(({ latencies }) => percentileCells(latencies));
  return chartFigure({
    kind: 'lines',
    title: 'Latency percentiles over time',
    of: 'Time',
    labels,
    columns: Object.keys(percentiles).map((header, index) => ({
      header,
      tone: tonesOf[index] ?? 'accent',
      cells: cells.map((of) => of[index] ?? null),
    })),
    inWords: latencyInWords,
  });
}

function operationsTable({ operations }: Course): Html {
  return dataTable({
    caption: 'Requests by operation',
    columns: ['Operation', 'requests', ...Object.keys(percentiles), 'Answers'],
    rows: Object.entries(operations).map(([name, { answers, latencies }]) => [
      name,
      countLatencies(latencies),
      ...percentileCells(latencies),
      Object.entries(answers)
        .map(([answer, count]) => `${answer}: ${grouped(count)}`)
        .join(', '),
    ]),
  });
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

const dayMs = 24 * 60 * 60 * 1000;

function shortTime(ms: number, timeZone: string, spanMs: number): string {
  const time = isoIn(ms, timeZone);
  return spanMs > dayMs ? time.slice(5, 16).replace('T', ' ') : time.slice(11, 19);
}

function rateInWords(rate: number): string {
  return rate >= 100 ? grouped(Math.round(rate)) : String(Number(rate.toFixed(1)));
}
