import { orderItemUpdateRecords } from '../../input/record-kinds.ts';
import { pushOrderItems } from '../../push/order-items.ts';
import { defineCommand } from '../command.ts';
import { pushCommandFlags } from '../flags/push-flags.ts';
import { bulkFlags } from '../flags/shared-flags.ts';
import { runPush } from '../push-frame/push-command.ts';

export const orderItemsPush = defineCommand({
  argument: {
    term: '<file...>',
    help: 'CSV, TSV, JSON, NDJSON or xlsx with the id or originId of existing items; - for standard input',
  },
  flags: { resend: bulkFlags.resend, ...pushCommandFlags },
  examples: [
    'reviewctl order-items push deliveries.csv',
    'reviewctl order-items push deliveries.csv --dry-run',
    'reviewctl order-items push cancelled.csv --set status=CANCEL',
  ],
  exitCodes: [3, 4, 5, 6, 7, 9],
  run: (invocation) => {
    const { resend, dryRun: isDryRun } = invocation.flags;
    return runPush(invocation, {
      records: orderItemUpdateRecords,
      noun: 'order item',
      push: ({ service: { api }, ...opened }) => pushOrderItems({ ...opened, api, resend, isDryRun }),
    });
  },
});
