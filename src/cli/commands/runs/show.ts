import { reviewctl } from '../../../base/hint.ts';
import { koreanZone } from '../../../base/korean-time.ts';
import { streamOf } from '../../../base/lists.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { writeOutput } from '../../../output/terminal/streams.ts';
import { terminalText } from '../../../output/terminal/terminal-text.ts';
import { countsInWords } from '../../../output/terminal/totals.ts';
import { runView } from '../../../output/views/run-views.ts';
import { shownTime } from '../../../output/views/shown-time.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { undoableRuns } from '../../../store/runs/undo-log-files.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { type RunState, runStates } from '../../templates/push/run-states.ts';
import { nextCommands } from './next-commands.ts';
import { findRun, placeFlags, runArgument, withRuns } from './open-runs.ts';
import { runRecord } from './run-record.ts';

export const runsShow = defineCommand({
  argument: runArgument,
  flags: { ...outputFlags, ...placeFlags },
  examples: ['reviewctl runs show last', 'reviewctl runs show last -o json'],
  exitCodes: [],
  run: (invocation) =>
    withRuns(invocation, async ({ journal, state: place }) => {
      const { args, context, flags } = invocation;
      const run = await findRun(journal, args[0] ?? '');
      const state = (await runStates(await journal.runs.list(), place)).get(run.id) ?? 'killed';
      const undoableUntil = undoableRuns(place.folder, context.clock.now()).get(run.id);
      const isForPeople = flags.output === undefined && context.streams.isOutputTerminal;
      if (isForPeople) {
        const lines = runLines(run, state, undoableUntil, invocation.notices).map(terminalText);
        await writeOutput(context.streams, `${lines.join('\n')}\n`);
        return 0;
      }
      const options = { ...flags, format: flags.output, timeZone: koreanZone };
      await writeRecords(
        streamOf([[runRecord(run, state, undoableUntil)]]),
        runView,
        options,
        context.streams,
      );
      return 0;
    }),
});

/** A run as lines: a table would cut the command, which people want to copy. */
function runLines(
  run: Run,
  state: RunState,
  undoableUntil: string | undefined,
  { complete }: Pick<Notices, 'complete'>,
): readonly string[] {
  const { id, startedMs, end, command, folder, plan } = run;
  const time = (ms: number) => shownTime(new Date(ms).toISOString(), { timeZone: koreanZone });
  const next = nextCommands(run, state);
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
