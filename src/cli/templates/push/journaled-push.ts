import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { shellWord } from '../../../base/shell-word.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { LookupEvent } from '../../../push/lookup/find-unknown-items.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import type { PlanRequest, PushFlow } from '../../../push/plan/request.ts';
import { runFlow } from '../../../push/plan/run-flow.ts';
import type { BulkPush } from '../../../push/send/journaled.ts';
import { trackJobs } from '../../../push/track/track.ts';
import type { JournaledKind } from '../../../store/journal/push-journal.ts';
import { durationValue, groupFlags, valueFlag } from '../../flags/flags.ts';
import { pushCommandFlags } from '../../flags/push-flags.ts';
import { bulkFlags } from '../../flags/sending-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { SentKind } from './push-kind.ts';

/** Flags of every push that keeps its records in the journal. */
export const journaledPushFlags = {
  ...groupFlags('Sending', {
    wait: {
      ...valueFlag(durationValue, '=DURATION', 'until all jobs ended (10m; needs -c get-job=…)'),
      bare: '10m',
    },
  }),
  ...bulkFlags,
  ...pushCommandFlags,
};
type JournaledPushFlags = typeof journaledPushFlags;

export const journaledPushExitCodes: readonly ExitCode[] = [3, 4, 5, 6, 7, 8, 9, 11];

/** A push of records that the service cannot look up, so that only the journal prevents duplicates. */
export function journaledPush<S extends Placed, Q extends PlanRequest>(
  { context, flags, notices }: Invocation<JournaledPushFlags>,
  journaled: JournaledKind,
  flow: (push: BulkPush<S>) => PushFlow<S, Q>,
): Pick<SentKind<S>, 'journaled' | 'isWaiting' | 'push'> {
  const { batchSize, resend, wait } = flags;
  return {
    journaled,
    isWaiting: wait !== undefined,
    push: async function* ({ work, service: { api }, journal, ...opened }) {
      if (wait !== undefined && !api.supports('getJob')) throw noJobLookup();
      const lookups = countLookups(notices);
      const push = { ...context, ...opened, ...lookups, batchSize, resend, api, journal };
      const outcomes = runFlow(flow(push), work);
      try {
        yield* wait === undefined || work.isDryRun
          ? outcomes
          : trackJobs(outcomes, { ...push, kind: journaled, waitMs: wait });
      } finally {
        lookups.report();
      }
    },
  };
}

/** Counts what look-ups find about records of earlier runs; `report` prints the numbers. */
function countLookups(notices: Notices) {
  const ownerless = new Set<string>();
  let found = 0;
  return {
    onLookup: (event: LookupEvent) => {
      if (event.kind === 'found') found += event.count;
      else if (event.kind === 'ownerless') ownerless.add(event.orderOriginId);
      else notices.warning(`unknown records could not be looked up at the service: ${event.failure.message}`);
    },
    report: () => {
      if (found > 0) notices.info(`${counted(found, 'record')} with an unknown outcome found at the service`);
      const [first] = ownerless;
      if (first === undefined) return;
      notices.warning(
        `the members, buyers and recipients of ${counted(ownerless.size, 'order')} are not sent, first ${first}: ` +
          'their items were sent earlier without create-orders',
        hint`to set them: ${reviewctl`orders update ORDER_ID`}`,
      );
    },
  };
}

/** An example of the setting for an operation that the document mentions but does not define. */
export const jobLookupExample = ['-c', 'get-job=GET /admin/v2/job/{jobId}'] as const;

/** The failure for looking up jobs at a service without a known operation for it. */
export function noJobLookup(): Failure {
  return new Failure(
    'config',
    'the API document shows no operation to look up a job, so jobs cannot be followed',
    `if your service has one, set it: ${jobLookupExample.map(shellWord).join(' ')}`,
  );
}
