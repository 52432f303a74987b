import type { JsonObject } from '../../../base/json.ts';
import { streamOf } from '../../../base/lists.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import { jobView } from '../../../output/views/views.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { withService } from '../../runtime/session.ts';
import { noJobLookup } from '../../templates/push/journaled-push.ts';

export const jobsGet = defineCommand({
  argument: { term: '<jobId>', help: 'the id shown by a push or jobs list' },
  flags: { ...outputFlags, ...connectionFlags },
  examples: ["reviewctl jobs get 4711 --assume 'getJob=GET /admin/v2/job/{jobId}'"],
  exitCodes: [4, 5, 6],
  run: (invocation) =>
    withService(invocation, async ({ api }) => {
      const { args, context, flags } = invocation;
      if (!api.supports('getJob')) throw noJobLookup();
      const [jobId = ''] = args;
      const { sent } = await api.call('getJob', { params: { jobId } }, context.stopping);
      await writeRecords(
        streamOf([[sent as JsonObject]]),
        jobView,
        { ...flags, format: flags.output },
        context.streams,
      );
      return 0;
    }),
});
