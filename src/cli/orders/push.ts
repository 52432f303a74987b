import type { Api } from '../../client/caller.ts';
import { orderItemRecords } from '../../input/record-kinds.ts';
import { pushOrders, unsentFields } from '../../push/orders.ts';
import { defineCommand, type Invocation } from '../command.ts';
import { switchFlag } from '../flags.ts';
import { journaledPushExitCodes, journaledPushFlags, runJournaledPush } from '../journaled-push.ts';
import type { UnsentWarning } from '../push-command.ts';

const flags = {
  ...journaledPushFlags,
  sendExtraFields: {
    ...switchFlag({
      help: 'send status, price, options and shipment with the items, which the API document does not show',
    }),
    group: 'Sending',
  },
};

export const ordersPush = defineCommand({
  argument: { term: '<file...>', help: 'CSV, TSV, JSON or NDJSON, one row an item; - for standard input' },
  flags,
  examples: [
    'reviewctl orders push orders.csv',
    "reviewctl orders push export.csv --map orderOriginId=InvoiceNo --map 'originId={InvoiceNo}-{n}' --map productOriginId=StockCode",
    "reviewctl orders push orders.csv --wait --assume 'getJob=GET /admin/v2/job/{jobId}'",
  ],
  exitCodes: journaledPushExitCodes,
  run: (invocation) =>
    runJournaledPush(withExtraFields(invocation), {
      records: orderItemRecords,
      noun: 'order item',
      journaled: 'order-item',
      push: pushOrders,
      warnOfUnsent,
    }),
});

/** The flag is a short way to say what is assumed of the service. */
function withExtraFields(invocation: Invocation<typeof flags>): Invocation<typeof flags> {
  if (!invocation.flags.sendExtraFields) return invocation;
  const assume = [...invocation.flags.assume, 'bulkExtraFields=taken'];
  return { ...invocation, flags: { ...invocation.flags, assume } };
}

function warnOfUnsent(fields: readonly string[], api: Api): UnsentWarning | undefined {
  const { ofOrders, ofItems } = unsentFields(fields, api);
  if (ofOrders.length + ofItems.length === 0) return undefined;
  const hints: string[] = [];
  if (ofOrders.length > 0) {
    hints.push(
      `if your service creates whole orders, ${ofOrders.join(', ')} can go out: --assume 'createOrders=POST /admin/v2/orders/bulk'`,
    );
  }
  if (ofItems.length > 0) {
    const theirs = ofItems.join(', ');
    hints.push(
      `${theirs} can go out with --send-extra-fields if your service takes them, or later: order-items push`,
    );
  }
  return { fields: [...ofItems, ...ofOrders], hint: hints.join('; ') };
}
