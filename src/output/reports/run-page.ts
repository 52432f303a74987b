import { basename } from 'node:path';
import { exitCodes, isExitCode } from '../../base/failure.ts';
import { isoIn, timeInWords } from '../../base/korean-time.ts';
import { outcomeWords } from '../../push/steps/outcome.ts';
import type { NotedOutcome, Run } from '../../store/runs/run-log.ts';
import {
  countRequests,
  latencyPercentile,
  type RunTimeline,
  sumOf,
  type TimelineInterval,
} from '../../store/runs/run-timeline.ts';
import { countsInWords, elapsedInWords, grouped, secondsInWords } from '../terminal/totals.ts';
import { type Cell, dataTable } from './data-table.ts';
import type { Html } from './html.ts';
import { type KeyFigure, nextSection, type Page, section } from './page.ts';
import type { RefusalReason } from './refusal-reasons.ts';

/** The data of a report of a run. */
export interface RunReport {
  readonly run: Run;
  readonly state: 'running' | 'ended' | 'killed';
  /** Undefined unless the run ended. */
  readonly timeline: RunTimeline | undefined;
  readonly reasons: readonly RefusalReason[];
  readonly timeZone: string;
  /** True if ids and quoted values may be shown. */
  readonly withIds: boolean;
  /** The commands that a person may run next. */
  readonly next: readonly string[];
  readonly footer: string;
}

/** The page about one run. */
export function runPage(report: RunReport): Page {
  const { run, state, reasons, timeZone, withIds, next, footer } = report;
  const tally = run.end?.tally ?? {};
  const { rejected = 0, failed = 0, unknown = 0 } = tally;
  const records = Object.values(tally).reduce((sum, count) => sum + count, 0);
  const refused = rejected + failed;
  const course = sumOf(report.timeline?.intervals ?? []);
  const timeline = countRequests(course) > 0 ? report.timeline : undefined;
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
      ...(timeline === undefined ? [] : requestFigures(run, course)),
    ],
    sections: [
      ...(timeline === undefined ? [] : [courseSection(timeline, report)]),
      refusalSection(reasons, withIds),
      nextSection(next),
    ],
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

function requestFigures({ startedMs, end }: Run, course: TimelineInterval): readonly KeyFigure[] {
  const requests = countRequests(course);
  const elapsedMs = (end?.endedMs ?? startedMs) - startedMs;
  const note = elapsedMs > 0 ? `${rateInWords(requests, elapsedMs)} a second` : undefined;
  const p95 = latencyPercentile(course, 0.95) ?? 0;
  return [
    { name: 'Requests', value: grouped(requests), note },
    { name: 'Latency p95', value: `${grouped(Math.round(p95))} ms` },
  ];
}

function rateInWords(requests: number, ms: number): string {
  const rate = (1000 * requests) / ms;
  return rate < 100 ? rate.toFixed(1) : grouped(Math.round(rate));
}

/** A row for each interval; rates and latencies have bars. */
function courseSection({ intervalMs, intervals }: RunTimeline, { run, timeZone }: RunReport): Html {
  const filled = intervals.map((interval) => sumOf([interval]));
  const { outcomes } = sumOf(filled);
  const words = outcomeWords.filter((word) => outcomes[word] !== undefined);
  const mostRequests = Math.max(...filled.map(countRequests));
  const slowestMs = Math.max(1, ...filled.map((interval) => latencyPercentile(interval, 0.99) ?? 0));
  const latencyCell = (ms: number | undefined): Cell =>
    ms === undefined ? null : { text: grouped(Math.round(ms)), bar: { share: ms / slowestMs, tone: 'odd' } };
  const table = dataTable({
    caption: 'Outcomes, requests and latencies by time',
    columns: ['From', ...words, 'requests', 'a second', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows: filled.map((interval, index) => {
      const requests = countRequests(interval);
      return [
        isoIn(run.startedMs + index * intervalMs, timeZone)
          .slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)
          .replace('T', ' '),
        ...words.map((word) => interval.outcomes[word] ?? 0),
        requests,
        {
          text: rateInWords(requests, intervalMs),
          bar: { share: requests / mostRequests, tone: 'accent' },
        },
        ...[0.5, 0.95, 0.99].map((share) => latencyCell(latencyPercentile(interval, share))),
      ];
    }),
  });
  const note =
    `One row for every ${secondsInWords(intervalMs / 1000)}; the last may be shorter, and its rate is then too low. ` +
    'Every attempt of a request counts. Latency is measured from its start to the end of the reply, exact to 5 %.';
  return section('Course', note, table);
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
