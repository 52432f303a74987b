import type { JsonObject } from '../../../base/json.ts';
import { encodeRequest } from '../../../client/caller.ts';
import { defaultAssumptions } from '../../../contract/assumptions.ts';
import { operations } from '../../../contract/operations.ts';
import { reviewView } from '../../../output/views/views.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecord } from '../../runtime/print.ts';
import { useService } from '../../runtime/session.ts';
import { readIds } from '../../templates/batch/read-ids.ts';
import { batchFlags, runForEachId } from '../../templates/batch/run-for-each-id.ts';
import { reviewIdsArgument } from '../../templates/record/path-arguments.ts';
import { callOnce } from '../../templates/record/perform-operation.ts';

export const command = defineCommand({
  argument: reviewIdsArgument,
  flags: batchFlags,
  examples: [
    'reviewctl reviews get 77',
    'reviewctl reviews get 77 78 79 -o csv > reviews.csv',
    'reviewctl reviews get - --fields id,isVisible < ids.txt',
  ],
  exitCodes: [4, 5, 6],
  run: async (invocation) => {
    const { args, context } = invocation;
    const ids = await readIds(args, 'id', invocation);
    for (const reviewId of ids) checkId(reviewId);
    const service = await useService(invocation);
    const get = async (reviewId: string) => {
      const { sent } = await callOnce(service, { name: 'getReview', params: { reviewId } }, context.stopping);
      return sent as JsonObject;
    };
    const [only] = args;
    if (only !== undefined && only !== '-' && args.length === 1) {
      await printRecord(invocation, reviewView, await get(only));
      return 0;
    }
    return runForEachId(invocation, service, {
      ids,
      label: 'getting reviews',
      view: reviewView,
      isWrite: false,
      doneWord: 'found',
      work: get,
      recordOf: (result) => (result.kind === 'done' ? result.value : undefined),
    });
  },
});

/** @throws Failure('usage') for an invalid id, before any request. */
function checkId(reviewId: string): void {
  encodeRequest('getReview', operations.getReview, { params: { reviewId } }, defaultAssumptions);
}
