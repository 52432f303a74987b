import { Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import type { JobState } from '../../contract/states.ts';
import { storedJobView } from '../../output/run-views.ts';
import { counted } from '../../output/totals.ts';
import { defineCommand } from '../command.ts';
import { switchFlag } from '../flags.ts';
import { placeFlags, withRuns } from '../runs/open-runs.ts';
import { outputFlags } from '../shared-flags.ts';
import { writeList } from '../write-list.ts';

export const jobsList = defineCommand({
  flags: {
    pending: switchFlag({ help: 'only jobs that had not ended when they were last asked for' }),
    failed: switchFlag({ help: 'only jobs that failed' }),
    ...outputFlags,
    ...placeFlags,
  },
  examples: ['reviewctl jobs list --pending', 'reviewctl jobs list --failed -o csv --excel > failed.csv'],
  exitCodes: [],
  run: (invocation) =>
    withRuns(invocation, async ({ journal }) => {
      const state = chosenState(invocation.flags);
      async function* jobs(): AsyncGenerator<readonly JsonObject[]> {
        for (const page of journal.jobs(state)) yield page.map((job): JsonObject => ({ ...job }));
      }
      await writeList(invocation, jobs(), storedJobView, {
        summary: (written) => counted(written, storedJobView.noun),
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
