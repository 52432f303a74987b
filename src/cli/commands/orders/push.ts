import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { orderItemRecords } from '../../../input/records/record-kinds.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { type CompiledItem, orderItemCompiler } from '../../../push/compile/order-items.ts';
import { ordersFlow } from '../../../push/flows/orders.ts';
import { findMissingProducts } from '../../../push/lookup/check-products.ts';
import { groupFlags, switchFlag } from '../../flags/flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { readAssumptions } from '../../runtime/session.ts';
import {
  journaledPush,
  journaledPushExitCodes,
  journaledPushFlags,
} from '../../templates/push/journaled-push.ts';
import { runPush } from '../../templates/push/push-command.ts';
import type { OpenedPush } from '../../templates/push/push-kind.ts';
import { refuseLoss, warnOfUnsent } from './warn-of-unsent.ts';

const flags = {
  ...journaledPushFlags,
  ...groupFlags('Sending', {
    withoutOrderFields: switchFlag('omit members, buyers and dates permanently'),
    checkProducts: switchFlag('warn about items whose product is unknown'),
  }),
};

export const command = defineCommand({
  argument: {
    term: '[file...]',
    help: 'CSV, TSV, JSON, NDJSON or xlsx; - for stdin',
  },
  flags,
  examples: [
    'reviewctl orders push orders.csv',
    "reviewctl orders push export.csv --map 'originId={InvoiceNo}-{n}'",
    'reviewctl orders push orders.csv --rejects bad.csv',
  ],
  isMonitored: true,
  exitCodes: journaledPushExitCodes,
  run: (invocation) =>
    runPush(invocation, {
      ...(invocation.flags.checkProducts ? { checkFirst: warnOfMissing(invocation.notices) } : {}),
      records: orderItemRecords,
      originIdOf: ({ originId }) => originId,
      compiler: orderItemCompiler,
      noun: 'order item',
      ...journaledPush(invocation, 'order-item', ordersFlow),
      warnOfUnsent,
      ...(isOmitting(invocation)
        ? {}
        : {
            refuseFields: (fields, assumptions) =>
              refuseLoss(fields, assumptions, { argv: invocation.argv, assume: invocation.flags.assume }),
          }),
    }),
});

/** Maximum products listed individually. */
const namedMaximum = 10;

/** Warns of items whose product the service does not know; the service may refuse them, or their orders. */
function warnOfMissing(notices: Notices) {
  return async ({ service, reread }: OpenedPush<CompiledItem>): Promise<void> => {
    let count = 0;
    for await (const { productOriginId, file, line } of findMissingProducts(service.api, reread())) {
      count += 1;
      if (count > namedMaximum) continue;
      notices.warning(`the service has no product ${productOriginId}, first needed at ${file}:${line}`);
    }
    if (count === 0) return;
    notices.warning(
      `${counted(count, 'product')} not found at the service`,
      hint`push them first: ${reviewctl`products push FILE`}`,
    );
  };
}

/**
 * True if the fields of orders are omitted.
 * @throws Failure('usage') if the service is set to accept them.
 */
function isOmitting({ flags: { assume, withoutOrderFields } }: Invocation<typeof flags>): boolean {
  if (withoutOrderFields && readAssumptions(assume).createOrders !== undefined) {
    throw new Failure(
      'usage',
      '--without-order-fields contradicts createOrders, which sends the fields of orders',
      'remove the flag or the setting',
    );
  }
  return withoutOrderFields;
}
