import { Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import type { JobState } from '../../contract/states.ts';
import { storedJobView } from '../../output/run-views.ts';
import { listTotal } from '../../output/totals.ts';
import { defineCommand } from '../command.ts';
import { switchFlag } from '../flags.ts';
import { placeFlags, withRuns } from '../runs/open-runs.ts';
import { outputFlags } from '../shared-flags.ts';
import { limitFlag, writeList } from '../write-list.ts';

export const jobsList = defineCommand({
  flags: {
    pending: switchFlag({ help: 'only jobs that had not ended when they were last asked for' }),
    failed: switchFlag({ help: 'only jobs that failed' }),
    limit: limitFlag,
    ...outputFlags,
    ...placeFlags,
  },
  examples: ['reviewctl jobs list --pending', 'reviewctl jobs list --failed -o csv --excel > failed.csv'],
  exitCodes: [],
  run: (invocation) =>
    withRuns(invocation, async ({ journal }) => {
      const { limit = Number.POSITIVE_INFINITY } = invocation.flags;
      const state = chosenState(invocation.flags);
      let total = 0;
      async function* jobs(): AsyncGenerator<readonly JsonObject[]> {
        for (const page of journal.jobs(state)) {
          const left = Math.max(0, limit - total);
          total += page.length;
          yield page.slice(0, left).map((job): JsonObject => ({ ...job }));
        }
      }
      await writeList(invocation, jobs(), storedJobView, {
        summary: (written) => listTotal(written, total, storedJobView.noun),
      });
      return 0;
    }),
});

/** @throws Failure('usage') for both at once. */
function chosenState({
  pending,
  failed,
}: {
  readonly pending: boolean;
  readonly failed: boolean;
}): JobState | undefined {
  if (pending && failed) {
    throw new Failure('usage', 'no job is both pending and failed', 'give one of --pending and --failed');
  }
  if (pending) return 'pending';
  return failed ? 'failed' : undefined;
}
