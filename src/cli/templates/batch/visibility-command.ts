import type * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { streamOf } from '../../../base/lists.ts';
import { encodeRequest } from '../../../client/caller.ts';
import { defaultAssumptions } from '../../../contract/assumptions.ts';
import { type Operations, operations } from '../../../contract/operations.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { note, type View, word } from '../../../output/views/view.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { type CommandDefinition, defineCommand } from '../../runtime/command.ts';
import { type Session, useService } from '../../runtime/session.ts';
import { typedBody } from '../record/given-body.ts';
import { reviewIdsArgument } from '../record/path-arguments.ts';
import { callOnce, checkReply, requestRecord, requestView, writeFlags } from '../record/perform-operation.ts';
import { readIds } from './read-ids.ts';
import { batchFlags, type IdResult, runForEachId } from './run-for-each-id.ts';

/** Hiding more reviews than this needs confirmation. */
const unaskedMaximum = 100;

const outcomeView: View = {
  noun: 'review',
  id: 'id',
  csvColumns: ['id', 'outcome', 'error', 'hint'],
  columns: [word('id'), word('outcome'), note('error'), note('what to do', 'hint')],
  attention: ({ outcome }) => (outcome === 'updated' || outcome === 'unchanged' ? 'success' : 'change'),
};

type Review = z.output<Operations['updateReview']['reply']>;
type Outcome = 'updated' | 'unchanged';

/** The differences between the two commands. */
interface Visibility {
  readonly isVisible: boolean;
  /** `hide` and `hiding`. */
  readonly verb: string;
  readonly gerund: string;
  readonly examples: readonly string[];
}

/**
 * A command that publishes or hides reviews (API 4.17). Each is looked up first (API 4.16), and is not changed if it
 * already has this visibility. The command may be run again.
 */
export function visibilityCommand({ isVisible, verb, gerund, examples }: Visibility): CommandDefinition {
  return defineCommand({
    argument: reviewIdsArgument,
    flags: { ...writeFlags, ...batchFlags },
    examples,
    exitCodes: [4, 5, 6],
    run: async (invocation) => {
      const { args, context, flags, notices } = invocation;
      const ids = await readIds(args, 'id', invocation);
      const requests = ids.map((id) => requestOf(id, isVisible));
      if (flags.dryRun) {
        const records = streamOf([requests.map(requestRecord)]);
        await writeRecords(records, requestView, { format: flags.output }, context.streams);
        notices.summary(
          `dry run, nothing was sent; the command would ${verb} ${counted(ids.length, 'review')}`,
        );
        return 0;
      }
      const question = `Hide ${counted(ids.length, 'review')} from consumers?`;
      const isMany = !isVisible && ids.length > unaskedMaximum;
      if (isMany && !(await isChangeConfirmed(question, invocation))) return 0;
      const service = await useService(invocation);
      return runForEachId<Outcome>(invocation, service, {
        ids,
        label: `${gerund} reviews`,
        view: outcomeView,
        isWrite: true,
        doneWord: 'updated',
        wordOf: (outcome) => outcome,
        doneState: isVisible ? 'now visible' : 'now hidden',
        work: (id) => setVisibility(service, id, isVisible),
        recordOf: (result) => outcomeRecord(result, notices),
      });
    },
  });
}

/** The request for one id. @throws Failure('usage') for an invalid id, before anything is sent. */
function requestOf(reviewId: string, isVisible: boolean) {
  const input = { params: { reviewId }, body: { isVisible } };
  return encodeRequest('updateReview', operations.updateReview, input, defaultAssumptions);
}

/** @throws Failure('refused') if the service accepted the update but blocks the review; as `checkReply`. */
async function setVisibility(service: Session, reviewId: string, isVisible: boolean): Promise<Outcome> {
  const params = { reviewId };
  const found = await callOnce(service, { name: 'getReview', params }, undefined);
  if ((found.value as Review).isVisible === isVisible) return 'unchanged';
  const call = { name: 'updateReview', params, body: typedBody({ isVisible }) } as const;
  const { value, sent } = await callOnce(service, call, undefined);
  const { isVisible: shown, isBlocked } = value as Review;
  if (!isBlocked || shown !== !isVisible) {
    checkReply(call, sent, service.api);
    return 'updated';
  }
  throw new Failure(
    'refused',
    `updateReview: the service accepted it, but still shows the review as ${isVisible ? 'hidden' : 'visible'}: ` +
      'it is blocked',
    hint`see why: ${reviewctl`reviews get ${reviewId} --fields isVisible,isBlocked,blockReason`}`,
  );
}

function outcomeRecord(result: IdResult<Outcome>, { complete }: Notices): JsonObject {
  const { id } = result;
  if (result.kind === 'done') return { id, outcome: result.value };
  const { message, nextStep } = result.failure;
  return { id, outcome: result.kind, error: message, hint: nextStep && complete(nextStep) };
}
