import { orderItemRecords } from '../../input/record-kinds.ts';
import { pushOrders } from '../../push/orders.ts';
import { defineCommand } from '../command.ts';
import { journaledPushExitCodes, journaledPushFlags, runJournaledPush } from '../journaled-push.ts';

export const ordersPush = defineCommand({
  argument: { term: '<file...>', help: 'CSV, TSV, JSON or NDJSON, one row an item; - for standard input' },
  flags: journaledPushFlags,
  examples: [
    'reviewctl orders push orders.csv',
    "reviewctl orders push export.csv --map orderOriginId=InvoiceNo --map 'originId={InvoiceNo}-{n}' --map productOriginId=StockCode",
    "reviewctl orders push orders.csv --wait --assume 'getJob=GET /admin/v2/job/{jobId}'",
  ],
  exitCodes: journaledPushExitCodes,
  run: (invocation) =>
    runJournaledPush(invocation, {
      records: orderItemRecords,
      noun: 'order item',
      journaled: 'order-item',
      push: pushOrders,
    }),
});
