import { hint, reviewctl } from '../../../base/hint.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { RunJournal } from '../../../store/journal/push-journal.ts';
import type { Run, RunEnd } from '../../../store/runs/run-log.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import { outcomeCount } from '../../templates/push/error-budget.ts';
import { maskedNames } from '../../templates/push/expected-count.ts';
import { openRejects } from '../../templates/push/open-rejects.ts';
import { runStates } from '../../templates/push/run-states.ts';
import { hasUnknown } from '../runs/run-record.ts';
import type { StatusLine } from './status-line.ts';

/** Inputs that are named, those that were pushed last. */
const inputsMaximum = 20;

/** Pushes by their files: the last success, what ended the last one badly, open rejects and unknown records. */
export async function* pushStatus(
  journal: RunJournal,
  state: StateLocation,
  successes: Map<string, number>,
): AsyncGenerator<StatusLine> {
  const runs = await journal.runs.list();
  const states = await runStates(runs, state);
  const byInput = new Map<string, Run[]>();
  for (const run of runs) {
    const input = `${run.kind} ${maskedNames(run.files)}`;
    byInput.set(input, [...(byInput.get(input) ?? []), run]);
  }
  for (const [input, ofInput] of [...byInput].slice(0, inputsMaximum)) {
    const [last] = ofInput;
    if (last === undefined) continue;
    const success = ofInput.find(({ end }) => end !== undefined && isSuccess(end));
    noteSuccess(successes, last.kind, success);
    yield inputLine(input, last, success, states.get(last.id) === 'running');
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

/** Rejected records are named for themselves, but a push of which all are so has brought nothing. */
function isSuccess({ exitCode, tally }: RunEnd): boolean {
  const { rejected = 0, failed = 0, unknown = 0 } = tally;
  return exitCode === 0 || (exitCode === 6 && outcomeCount(tally) > rejected + failed + unknown);
}

function noteSuccess(successes: Map<string, number>, kind: string, run: Run | undefined): void {
  const { endedMs } = run?.end ?? {};
  if (endedMs !== undefined && endedMs > (successes.get(kind) ?? 0)) successes.set(kind, endedMs);
}

function inputLine(input: string, last: Run, success: Run | undefined, isRunning: boolean): StatusLine {
  const about = input.trim();
  const lastMs = success?.end?.endedMs;
  if (isRunning) return { about, status: 'info', message: `run ${last.id} is running`, lastMs };
  const { end } = last;
  if (end !== undefined && isSuccess(end)) return { about, status: 'ok', message: 'succeeded', lastMs };
  const how = end === undefined ? 'was killed' : `ended with exit code ${end.exitCode}`;
  const message = `the last push, run ${last.id}, ${how}`;
  // A plan is sent once: what of it needs a person is a line of its own.
  if (end?.isPlanSent === true) return { about, status: 'info', message, lastMs };
  return {
    about,
    status: 'person',
    message,
    lastMs,
    next: hint`${reviewctl`${last.command}`}, in ${last.folder}`,
  };
}
