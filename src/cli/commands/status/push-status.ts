import { hint, reviewctl } from '../../../base/hint.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { RunJournal } from '../../../store/journal/push-journal.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import { outcomeCount } from '../../templates/push/error-budget.ts';
import { maskedNames } from '../../templates/push/expected-count.ts';
import { openRejects } from '../../templates/push/open-rejects.ts';
import {
  endOfPlan,
  isComplete,
  isInterruptedWhole,
  isUndo,
  runStates,
} from '../../templates/push/run-states.ts';
import { hasUnknown } from '../runs/run-record.ts';
import type { StatusLine } from './status-line.ts';

/** Maximum inputs listed that need no person; the ones pushed last are listed. */
const calmInputsMaximum = 20;

interface PushStatusPlace {
  readonly state: StateLocation;
  readonly cwd: string;
  /** True if jobs can be looked up. Otherwise all of them stay pending in the journal. */
  readonly hasJobLookup: boolean;
}

/** Pushes by their files: the last success, the problems of the last push, open rejects and unknown records. */
export async function* pushStatus(
  journal: RunJournal,
  { state, cwd, hasJobLookup }: PushStatusPlace,
  successes: Map<string, number>,
): AsyncGenerator<StatusLine> {
  const runs = await journal.runs.list();
  const states = await runStates(runs, state);
  const byInput = new Map<string, Run[]>();
  for (const run of runs) {
    const input = `${run.kind} ${maskedNames(run.files)}`;
    byInput.set(input, [...(byInput.get(input) ?? []), run]);
  }
  let calmCount = 0;
  for (const [input, ofInput] of byInput) {
    const [last] = ofInput;
    if (last === undefined) continue;
    const success = ofInput.find((run) => isSuccess(run, hasJobLookup));
    const done = ofInput.find((run) => run.end?.isWhole && isSuccess(run, hasJobLookup) && !isUndo(run));
    noteSuccess(successes, last.kind, done);
    const isRunning = states.get(last.id) === 'running';
    const line = inputLine(input, last, { runs, success, isRunning, cwd });
    if (line.status !== 'person') calmCount += 1;
    if (line.status === 'person' || calmCount <= calmInputsMaximum) yield line;
  }
  const rejects = await openRejects(journal);
  if (rejects.length > 0) {
    yield {
      about: 'rejects',
      status: 'person',
      message: `${counted(rejects.length, 'record')} rejected or failed, and not pushed since`,
      next: reviewctl`runs rejects --open`,
    };
  }
  // A running push may be following its jobs.
  const isIdle = ![...states.values()].includes('running');
  if (hasJobLookup && isIdle) yield* pendingLines(journal);
  for (const run of runs) {
    if (!(await hasUnknown(journal, run))) continue;
    yield {
      about: 'unknown',
      status: 'person',
      message: `run ${run.id} left records whose outcome is unknown`,
      next: reviewctl`runs rejects ${run.id} --unknown`,
    };
  }
}

/** Maximum jobs counted; so many need a person anyway. */
const jobsCounted = 10_000;

/** A job that nobody follows may have failed. */
async function* pendingLines(journal: RunJournal): AsyncGenerator<StatusLine> {
  let count = 0;
  for await (const page of journal.jobs('pending')) {
    count += page.length;
    if (count >= jobsCounted) break;
  }
  if (count === 0) return;
  yield {
    about: 'jobs',
    status: 'person',
    message: `${count >= jobsCounted ? 'at least ' : ''}${counted(count, 'job')} not followed to the end`,
    next: reviewctl`jobs wait`,
  };
}

/**
 * True if a run had the expected result. Rejects have a line of their own, as do pending jobs that can be looked up.
 * But a push whose records are all rejects has no result, and one that stopped early is unfinished unless --limit
 * requested that. A signal after the last record changes nothing, unless jobs were to be awaited and nobody follows
 * them.
 */
function isSuccess({ command, end }: Run, hasJobLookup: boolean): boolean {
  if (end === undefined) return false;
  const { exitCode, tally, isWhole } = end;
  if (exitCode === 0) return true;
  const { queued = 0, rejected = 0, failed = 0, unknown = 0 } = tally;
  const isAttempted = isWhole || command.some((word) => /^--limit(?:=|$)/.test(word));
  const isNamed = exitCode === 6 || (exitCode === 8 && hasJobLookup);
  const isAwaited = queued > 0 && command.some((word) => /^--wait(?:=|$)/.test(word));
  const isSent = isInterruptedWhole({ end }) && (hasJobLookup || !isAwaited);
  return (isNamed || isSent) && isAttempted && outcomeCount(tally) > rejected + failed + unknown;
}

function noteSuccess(successes: Map<string, number>, kind: string, run: Run | undefined): void {
  const { endedMs } = run?.end ?? {};
  if (endedMs !== undefined && endedMs > (successes.get(kind) ?? 0)) successes.set(kind, endedMs);
}

interface InputState {
  readonly runs: readonly Run[];
  readonly success: Run | undefined;
  readonly isRunning: boolean;
  readonly cwd: string;
}

function inputLine(input: string, last: Run, { runs, success, isRunning, cwd }: InputState): StatusLine {
  const about = input.trim();
  const lastMs = success?.end?.endedMs;
  if (isRunning) return { about, status: 'info', message: `run ${last.id} is running`, lastMs };
  const { end } = last;
  if (success === last) return { about, status: 'ok', message: 'succeeded', lastMs };
  const how = end === undefined ? 'was killed' : `ended with exit code ${end.exitCode}`;
  const message = `the last push, run ${last.id}, ${how}`;
  // A plan is sent once, and a record that an undo rejected cannot be undone later; both have lines of their own.
  const isOver = isUndo(last) ? isComplete(last) : endOfPlan(last.plan, runs) !== undefined;
  if (isOver) return { about, status: 'info', message, lastMs };
  const again = reviewctl`${last.command}`;
  const next = last.folder === cwd ? again : hint`cd ${shellWord(last.folder)} && ${again}`;
  return { about, status: 'person', message, lastMs, next };
}
