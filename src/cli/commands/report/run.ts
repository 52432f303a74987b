import { isExitCode } from '../../../base/failure.ts';
import { RefusalReasons } from '../../../output/reports/refusal-reasons.ts';
import { type ReportedRun, runPage } from '../../../output/reports/run-page.ts';
import { type RunSummary, runSummary } from '../../../output/reports/run-summary.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { runStates } from '../../templates/push/run-states.ts';
import { checkOut, footer, reportFlags, writePage } from '../../templates/report/report-page.ts';
import { findRun, type OpenRuns, placeFlags, runArgument, useRuns } from '../runs/open-runs.ts';
import { nextCommands } from '../runs/run-record.ts';

export const command = defineCommand({
  argument: { term: '<run...>', help: `${runArgument.help}; several become one report` },
  flags: { ...reportFlags, ...placeFlags },
  examples: [
    'reviewctl report run last',
    'reviewctl report run v1a2b3 v1a2b4 --out monday.html',
    'reviewctl report run last --out - | mail -s "push" -a "Content-Type: text/html" ops@example.com',
  ],
  run: async (invocation) => {
    checkOut(invocation);
    const opened = await useRuns(invocation);
    const { args, flags } = invocation;
    const found: Run[] = [];
    for (const word of args) found.push(await findRun(opened.journal, word));
    const runs = [...new Map(found.map((run) => [run.id, run])).values()];
    const reported = await reportedRuns(
      invocation,
      opened,
      runs.toSorted((a, b) => a.startedMs - b.startedMs),
    );
    const reasons = new RefusalReasons({ showsQuotes: flags.withIds });
    for (const { run } of reported) {
      for await (const page of opened.journal.runs.noted(run.id))
        for (const record of page) reasons.add(record);
    }
    const page = runPage({
      runs: reported,
      reasons: reasons.reasons,
      timeZone: flags.timeZone,
      withIds: flags.withIds,
      footer: footer(invocation),
    });
    return writePage(
      invocation,
      page,
      `run-${reported
        .map(({ run }) => run.id)
        .join('-')
        .slice(0, 60)}.html`,
    );
  },
});

async function reportedRuns(
  { notices, sources }: Invocation<typeof placeFlags>,
  { journal, state: place }: OpenRuns,
  runs: readonly Run[],
): Promise<readonly ReportedRun[]> {
  const states = await runStates(await journal.runs.list(), place);
  return Promise.all(
    runs.map(async (run) => {
      const state = states.get(run.id) ?? 'killed';
      const next = nextCommands(run, state).map(notices.complete);
      const summary = summaryOf(run, sources.profile.name, next);
      return { run, state, summary, next };
    }),
  );
}

/** The summary that monitors received when the run ended. */
function summaryOf(
  { id, command, startedMs, end }: Run,
  profile: string,
  next: readonly string[],
): RunSummary | undefined {
  if (end === undefined || !isExitCode(end.exitCode)) return undefined;
  const { exitCode, endedMs, tally } = end;
  const frame = {
    command: command.slice(0, 2).join(' '),
    profile,
    exitCode,
    startedMs,
    tookMs: endedMs - startedMs,
  };
  return runSummary(frame, { run: id, counts: tally, next });
}
