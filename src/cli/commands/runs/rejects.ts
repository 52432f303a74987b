import type { JsonObject } from '../../../base/json.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { outcomeView } from '../../../output/views/views.ts';
import type { NotedOutcome } from '../../../store/runs/run-log.ts';
import { switchFlag } from '../../flags/flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { writeList } from '../../templates/list/write-list.ts';
import { findRun, placeFlags, runArgument, withRuns } from './open-runs.ts';

/** Whether a record could not be had, which a corrected input can mend. */
const isReject = ({ outcome }: NotedOutcome) => outcome === 'rejected' || outcome === 'failed';
const isUnknown = ({ outcome }: NotedOutcome) => outcome === 'unknown';

export const runsRejects = defineCommand({
  argument: runArgument,
  flags: {
    unknown: switchFlag({ help: 'the records with an unknown outcome instead' }),
    ...outputFlags,
    ...placeFlags,
  },
  examples: [
    'reviewctl runs rejects last',
    'reviewctl runs rejects last -o csv --excel > rejects.csv',
    'reviewctl runs rejects last --unknown -o ids',
  ],
  exitCodes: [],
  run: (invocation) =>
    withRuns(invocation, async ({ journal }) => {
      const { args, flags } = invocation;
      const run = await findRun(journal, args[0] ?? '');
      const isAsked = flags.unknown ? isUnknown : isReject;
      async function* rejects(): AsyncGenerator<readonly JsonObject[]> {
        for await (const page of journal.runs.noted(run.id)) {
          yield page.filter(isAsked).map((outcome): JsonObject => ({ ...outcome }));
        }
      }
      await writeList(invocation, rejects(), outcomeView('reject'), {
        summary: (written) =>
          `run ${run.id}: ${counted(written, 'record')} ${flags.unknown ? 'unknown' : 'rejected or failed'}`,
      });
      return 0;
    }),
});
