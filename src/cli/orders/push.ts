import { Failure } from '../../base/failure.ts';
import { orderItemRecords } from '../../input/record-kinds.ts';
import { pushOrders } from '../../push/orders.ts';
import { trackJobs } from '../../push/track.ts';
import { defineCommand } from '../command.ts';
import { durationValue, optionalValueFlag } from '../flags.ts';
import { journaledPushFlags, runJournaledPush } from '../journaled-push.ts';

export const ordersPush = defineCommand({
  argument: { term: '<file...>', help: 'CSV, TSV, JSON or NDJSON, one row an item; - for standard input' },
  flags: {
    wait: optionalValueFlag(durationValue.optional(), {
      value: '=DURATION',
      bare: '10m',
      help: 'follow every job to its end, at most 10m or so long (needs --assume getJob=…)',
    }),
    ...journaledPushFlags,
  },
  examples: [
    'reviewctl orders push orders.csv',
    "reviewctl orders push export.csv --map orderOriginId=InvoiceNo --map 'originId={InvoiceNo}-{n}' --map productOriginId=StockCode",
    "reviewctl orders push orders.csv --wait --assume 'getJob=GET /admin/v2/job/{jobId}'",
  ],
  exitCodes: [3, 4, 5, 6, 8, 9, 11],
  run: (invocation) => {
    const { context, flags } = invocation;
    const { wait } = flags;
    return runJournaledPush(invocation, {
      records: orderItemRecords,
      noun: 'order item',
      journaled: 'order-item',
      isWaiting: wait !== undefined,
      push: (push) => {
        if (wait === undefined) return pushOrders(push);
        if (!push.api.supports('getJob')) throw noJobLookup();
        return trackJobs(pushOrders(push), {
          ...context,
          api: push.api,
          deadlineMs: context.clock.now() + wait,
        });
      },
    });
  },
});

function noJobLookup(): Failure {
  return new Failure(
    'config',
    'the API document shows no operation to look up a job, so --wait has nothing to follow',
    "if your service has one, name it: --assume 'getJob=GET /admin/v2/job/{jobId}'",
  );
}
