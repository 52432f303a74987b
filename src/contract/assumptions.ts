import * as z from 'zod';
import { bulkEntriesMaximum } from './limits.ts';

const optInPath = z
  .string()
  .regex(/^(GET|POST|PATCH|PUT) \/\S*$/, 'expected a method and a path, such as "GET /admin/v2/job/{jobId}"')
  .optional();

/**
 * Everything that the API document leaves open, by name, with the default. The first part affects the client;
 * the second is the behaviour of the sandbox, so that each can be tried under every setting.
 */
export const assumptionsSchema = z.strictObject({
  arrayQuery: z
    .enum(['repeat', 'comma', 'brackets'])
    .default('repeat')
    .describe('How array query parameters are written: a=1&a=2, a=1,2 or a[]=1&a[]=2 (API 4: not shown).'),
  getJob: optInPath.describe('The operation that fetches one bulk job (API 4: referred to, not shown).'),
  createOrders: optInPath.describe(
    'The operation that creates whole orders in bulk (API 4: referred to, not shown).',
  ),
  getReward: optInPath.describe('The operation that fetches one reward (API 4: referred to, not shown).'),
  pendingJobStatuses: z
    .array(z.string())
    .default(['PENDING', 'RUNNING', 'STARTED', 'PROCESSING'])
    .describe('The job statuses known to mean "not ended yet" (API 3: one observed value).'),
  succeededJobStatuses: z
    .array(z.string())
    .default(['SUCCESS', 'SUCCEEDED'])
    .describe('The job statuses that mean "made", also without successObjectId (API 3: not shown).'),
  failedJobStatuses: z
    .array(z.string())
    .default(['FAILURE', 'FAILED'])
    .describe('The job statuses that mean "not made", also without failureReason (API 3: not shown).'),
  categoryBulkMaximum: z
    .int()
    .min(1)
    .default(bulkEntriesMaximum)
    .describe('The most entries one bulk creation of categories may carry (API 4: not shown).'),
  bulkExtraFields: z
    .enum(['refused', 'taken'])
    .default('refused')
    .describe(
      'Whether entries that create order items in bulk may carry the other fields of an item (API 4.14: not shown).',
    ),

  unknownFields: z
    .enum(['refuse', 'ignore'])
    .default('refuse')
    .describe('Whether an undocumented parameter or field is refused or ignored (API 4: not shown).'),
  successStatus: z
    .enum(['200', '201'])
    .default('200')
    .describe('The status of a successful creation (API 4: not shown); the client accepts any 2xx.'),
  validationStatus: z
    .enum(['422', '400'])
    .default('422')
    .describe('The status of a failed validation (API 7: not shown).'),
  errorDetail: z
    .enum(['array', 'string', 'object', 'empty', 'html'])
    .default('array')
    .describe('The shape of error bodies (API 7 shows the array for some operations only).'),
  locIndex: z
    .enum(['string', 'integer'])
    .default('string')
    .describe('How `loc` names an entry of a bulk array (API 7 says strings).'),
  unauthenticatedStatus: z
    .enum(['401', '403'])
    .default('401')
    .describe('The status of a request without a valid credential (API 7: not shown).'),
  bulkBadEntry: z
    .enum(['refuse-request', 'fail-job'])
    .default('refuse-request')
    .describe(
      'Whether one invalid entry refuses the whole bulk request or fails only its own job (not shown).',
    ),
  duplicateOriginId: z
    .enum(['refuse', 'accept'])
    .default('refuse')
    .describe(
      'The result of creating a record with an existing originId (not shown); accept creates a second record.',
    ),
  groupName: z
    .enum(['unique', 'may-duplicate'])
    .default('may-duplicate')
    .describe('Whether two creations at once under one new groupName share a group (API 4.1: not shown).'),
  defaultsOnUpdate: z
    .enum(['keep', 'apply'])
    .default('keep')
    .describe(
      'Whether a field left out of an update keeps its value or returns to a default (API 4.4 prints two); ' +
        'with apply, every update sends all known values.',
    ),
  writeReply: z
    .enum(['current', 'earlier'])
    .default('current')
    .describe(
      'Whether the reply to a write shows the record after the write, for comparison with the request, ' +
        'or before it (API 4: not shown).',
    ),
  paidPriceReply: z
    .enum(['string', 'number'])
    .default('string')
    .describe('The type of paidPrice in replies (API 2 contradicts its input type).'),
  isAlimtalkEnabledReply: z
    .enum(['string', 'boolean'])
    .default('string')
    .describe(
      'The type of isAlimtalkEnabled in replies (API 2: boolean on input, string in the description).',
    ),
  imageUrlReply: z
    .enum(['as-given', 'rehosted'])
    .default('as-given')
    .describe(
      'Whether image.url shows the imageUrl it was given or the address of a copy (API 2: not shown).',
    ),
  emptyFields: z
    .enum(['null', 'missing'])
    .default('null')
    .describe('Whether a reply writes a field without a value as null or leaves it out (not shown).'),
  replyScalars: z
    .enum(['documented', 'swapped'])
    .default('documented')
    .describe('swapped writes numbers as strings and digits as numbers, as loose services do (not shown).'),
  timeRangeEnd: z
    .enum(['inclusive', 'exclusive'])
    .default('inclusive')
    .describe('Whether the End of a time range belongs to it (API 4.15, 4.18: not shown).'),
  rewardTimeMeans: z
    .enum(['review', 'reward'])
    .default('review')
    .describe('Which record the time filters of the reward list look at (API 4.18: not shown).'),
  rewardStatusAfterWebhook: z
    .enum(['changes', 'stays'])
    .default('changes')
    .describe('Whether a webhook answer changes the status of the reward at once (API 3: not shown).'),
  rewardTransitions: z
    .enum(['from-queued', 'any'])
    .default('from-queued')
    .describe('Which status changes a reward update accepts (API 3 shows those from QUEUED).'),
  webhookRedirect: z
    .enum(['ignored', 'failure'])
    .default('ignored')
    .describe('What a 3xx answer to a webhook means (API 6: 2xx is paid, 4xx and 5xx are failures).'),
  webhookRedelivery: z
    .enum(['never', 'on-failure', 'always'])
    .default('never')
    .describe('Whether a reward webhook is delivered again (API 6: not shown).'),
});

export type Assumptions = z.output<typeof assumptionsSchema>;

/** Every assumption at its default. */
export const defaultAssumptions: Assumptions = assumptionsSchema.parse({}, { jitless: true });
