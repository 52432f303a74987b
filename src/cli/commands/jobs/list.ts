import { Failure } from '../../../base/failure.ts';
import { reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { JobState } from '../../../contract/states.ts';
import { listTotal } from '../../../output/terminal/totals.ts';
import { storedJobView } from '../../../output/views/run-views.ts';
import { readFlags, switchFlag } from '../../flags/flags.ts';
import { connectionFlags, limitFlag, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { readAssumptions } from '../../runtime/session.ts';
import { jobLookupExample } from '../../templates/push/journaled-push.ts';
import { placeFlags, useRuns } from '../runs/open-runs.ts';

export const command = defineCommand({
  flags: {
    pending: switchFlag('only jobs that were pending when last checked'),
    failed: switchFlag('only jobs that failed'),
    unknown: switchFlag('jobs that ended without showing what they made'),
    limit: limitFlag,
    ...outputFlags,
    ...placeFlags,
  },
  examples: ['reviewctl jobs list --pending', 'reviewctl jobs list --failed -o csv --excel > failed.csv'],
  run: async (invocation) => {
    const { journal } = await useRuns(invocation);
    const { limit = Number.POSITIVE_INFINITY } = invocation.flags;
    const state = chosenState(invocation.flags);
    let total = 0;
    let hasPending = false;
    async function* jobs(): AsyncGenerator<readonly JsonObject[]> {
      for await (const page of journal.jobs(state)) {
        const left = Math.max(0, limit - total);
        total += page.length;
        hasPending ||= page.some((job) => job.state === 'pending');
        yield page.slice(0, left).map((job): JsonObject => ({ ...job }));
      }
    }
    await printList(
      invocation,
      storedJobView,
      jobs(),
      (written) =>
        listTotal(written, total, storedJobView.noun) + (hasPending ? pendingInWords(invocation) : ''),
    );
    return 0;
  },
});

const chosenStates = ['pending', 'failed', 'unknown'] as const satisfies readonly JobState[];

/** @throws Failure('usage') for several at once. */
function chosenState(flags: Readonly<Record<(typeof chosenStates)[number], boolean>>): JobState | undefined {
  const chosen = chosenStates.filter((state) => flags[state]);
  if (chosen.length <= 1) return chosen[0];
  throw new Failure(
    'usage',
    `no job is both ${chosen.join(' and ')}`,
    'use one of --pending, --failed and --unknown',
  );
}

/** A job is shown as pending until its next lookup, so the text has the command for one. */
function pendingInWords({ notices, sources }: Invocation): string {
  const { assume } = readFlags({ assume: connectionFlags.assume }, sources);
  const isKnown = readAssumptions(assume).getJob !== undefined;
  const command = reviewctl`jobs wait ${isKnown ? [] : jobLookupExample}`;
  return `; pending ones as of the last check; to check again: ${notices.complete(command)}`;
}
