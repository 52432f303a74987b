import type { Api } from '../../client/caller.ts';
import { orderItemRecords } from '../../input/record-kinds.ts';
import { pushOrders, unsentFields } from '../../push/orders.ts';
import { defineCommand } from '../command.ts';
import { journaledPushExitCodes, journaledPushFlags, runJournaledPush } from '../journaled-push.ts';
import type { UnsentWarning } from '../push-command.ts';

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
      warnOfUnsent,
    }),
});

function warnOfUnsent(fields: readonly string[], api: Api): UnsentWarning | undefined {
  const { ofOrders, ofItems } = unsentFields(fields, api);
  if (ofOrders.length + ofItems.length === 0) return undefined;
  const hints: string[] = [];
  if (ofOrders.length > 0) {
    hints.push(
      `if your service creates whole orders, ${ofOrders.join(', ')} can go out: --assume 'createOrders=POST /admin/v2/orders/bulk'`,
    );
  }
  if (ofItems.length > 0) hints.push(`no operation here takes ${ofItems.join(', ')} yet`);
  return { fields: [...ofItems, ...ofOrders], hint: hints.join('; ') };
}
