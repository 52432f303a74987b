import type { JsonObject } from '../../base/json.ts';
import { writeRecords } from '../../output/records.ts';
import { counted } from '../../output/totals.ts';
import { outcomeView } from '../../output/views.ts';
import type { NotedOutcome } from '../../store/run-log.ts';
import { defineCommand } from '../command.ts';
import { outputFlags } from '../shared-flags.ts';
import { findRun, placeFlags, runArgument, withRuns } from './open-runs.ts';

/** Outcomes a corrected input can mend. */
const isReject = ({ outcome }: NotedOutcome) => outcome === 'rejected' || outcome === 'failed';

export const runsRejects = defineCommand({
  argument: runArgument,
  flags: { ...outputFlags, ...placeFlags },
  examples: ['reviewctl runs rejects last', 'reviewctl runs rejects last -o csv --excel > rejects.csv'],
  exitCodes: [],
  run: (invocation) =>
    withRuns(invocation, async ({ journal }) => {
      const { args, context, flags, notices } = invocation;
      const run = findRun(journal, args[0] ?? '');
      async function* rejects(): AsyncGenerator<readonly JsonObject[]> {
        for (const page of journal.runs.noted(run.id)) {
          yield page.filter(isReject).map((outcome): JsonObject => ({ ...outcome }));
        }
      }
      const options = { ...flags, format: flags.output };
      const { written, isCut } = await writeRecords(
        rejects(),
        outcomeView('reject'),
        options,
        context.streams,
      );
      if (!isCut) notices.summary(`run ${run.id}: ${counted(written, 'record')} rejected or failed`);
      return 0;
    }),
});
