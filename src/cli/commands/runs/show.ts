import { reviewctl } from '../../../base/hint.ts';
import { timeInWords } from '../../../base/korean-time.ts';
import { hangingLines } from '../../../output/terminal/display-width.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { type Streams, writeOutput } from '../../../output/terminal/streams.ts';
import { terminalText } from '../../../output/terminal/terminal-text.ts';
import { countsInWords } from '../../../output/terminal/totals.ts';
import { runView } from '../../../output/views/run-views.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { undoableRuns } from '../../../store/runs/undo-log-files.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { type RunState, runStates } from '../../templates/push/run-states.ts';
import { importExitCode, importInWords, isShardRun, reportImport } from './import-report.ts';
import { findRun, placeFlags, runArgument, useRuns } from './open-runs.ts';
import { nextCommands, runRecord } from './run-record.ts';

export const command = defineCommand({
  argument: runArgument,
  flags: { ...outputFlags, ...placeFlags },
  examples: ['reviewctl runs show last', 'reviewctl runs show last -o json'],
  exitCodes: [6, 11],
  run: async (invocation) => {
    const { journal, state: place } = await useRuns(invocation);
    const { args, context, flags } = invocation;
    const run = await findRun(journal, args[0] ?? '');
    const runs = await journal.runs.list();
    const state = (await runStates(runs, place)).get(run.id) ?? 'killed';
    const undoableUntil = undoableRuns(place.folder, context.clock.now()).get(run.id);
    const whole = isShardRun(run) ? await reportImport(journal, run, invocation.notices) : undefined;
    const exitCode = whole === undefined ? 0 : importExitCode(whole);
    const isForPeople = flags.output === undefined && context.streams.isOutputTerminal;
    if (isForPeople) {
      const { complete } = invocation.notices;
      const lines = [
        ...runLines(run, state, undoableUntil, { complete, timeZone: context.streams.timeZone, runs }),
        ...(whole === undefined ? [] : [`import    ${importInWords(whole)}`]),
      ];
      const { columns } = context.streams;
      const shown = lines
        .map(terminalText)
        .flatMap((line) => hangingLines(line.slice(0, nameWidth), line.slice(nameWidth), columns));
      await writeOutput(context.streams, `${shown.join('\n')}\n`);
      return exitCode;
    }
    const record = {
      ...runRecord(run, state, undoableUntil),
      ...(whole === undefined ? {} : { import: { ...whole } }),
    };
    await printRecords(invocation, runView, [record]);
    if (whole !== undefined) invocation.notices.summary(importInWords(whole));
    return exitCode;
  },
});

const nameWidth = 'command   '.length;

type ShownWith = Pick<Notices, 'complete'> & Pick<Streams, 'timeZone'> & { readonly runs: readonly Run[] };

/** A run as lines: a table would cut the command, which people want to copy. */
function runLines(
  run: Run,
  state: RunState,
  undoableUntil: string | undefined,
  { complete, timeZone, runs }: ShownWith,
): readonly string[] {
  const { id, startedMs, end, command, folder, plan } = run;
  const time = (ms: number) => timeInWords(ms, timeZone);
  const next = nextCommands(run, state, runs);
  return [
    `run       ${id}`,
    `command   ${String(reviewctl`${command}`)}`,
    `folder    ${folder}`,
    ...(plan === undefined ? [] : [`plan      ${plan}`]),
    `started   ${time(startedMs)}`,
    end === undefined ? state : `ended     ${time(end.endedMs)}, exit ${end.exitCode}`,
    ...(end === undefined ? [] : [`outcomes  ${countsInWords(end.tally) || 'none'}`]),
    ...(undoableUntil === undefined
      ? []
      : [`undo      ${complete(reviewctl`runs undo ${id}`)}, until ${undoableUntil}`]),
    ...next.map((line, index) => `${index === 0 ? 'next' : '    '}      ${complete(line)}`),
  ];
}
