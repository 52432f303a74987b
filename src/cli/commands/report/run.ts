import { RefusalReasons } from '../../../output/reports/refusal-reasons.ts';
import { runPage } from '../../../output/reports/run-page.ts';
import { defineCommand } from '../../runtime/command.ts';
import { notedOnce } from '../../templates/push/open-rejects.ts';
import { runStates } from '../../templates/push/run-states.ts';
import { checkOut, footer, reportFlags, writePage } from '../../templates/report/report-page.ts';
import { findRun, placeFlags, runArgument, useRuns } from '../runs/open-runs.ts';
import { nextCommands } from '../runs/run-record.ts';

export const command = defineCommand({
  argument: runArgument,
  flags: { ...reportFlags, ...placeFlags },
  examples: [
    'reviewctl report run last',
    'reviewctl report run v1a2b3 --out monday.html',
    'reviewctl report run last --out - | mail -s "push" -a "Content-Type: text/html" ops@example.com',
  ],
  run: async (invocation) => {
    checkOut(invocation);
    const { journal, state: place } = await useRuns(invocation);
    const { args, flags, notices } = invocation;
    const run = await findRun(journal, args[0] ?? '');
    const runs = await journal.runs.list();
    const state = (await runStates(runs, place)).get(run.id) ?? 'killed';
    const reasons = new RefusalReasons({ showsQuotes: flags.withIds });
    for await (const page of notedOnce(journal, run.id)) for (const record of page) reasons.add(record);
    const timeline = await journal.runs.timeline(run.id);
    const page = runPage({
      ...{ run, state, timeline, reasons: reasons.reasons },
      ...{ timeZone: flags.timeZone, withIds: flags.withIds },
      next: nextCommands(run, state, runs).map(notices.complete),
      footer: footer(invocation),
    });
    return writePage(invocation, page, `run-${run.id}.html`);
  },
});
