import { type OrderItemUpdateRecord, orderItemUpdateRecords } from '../../../input/records/record-kinds.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { entryCompiler } from '../../../push/compile/compiler.ts';
import { orderItemsFlow } from '../../../push/flows/order-items.ts';
import { runFlow } from '../../../push/plan/run-flow.ts';
import { type PushOutcome, placeOf } from '../../../push/steps/outcome.ts';
import { pushCommandFlags } from '../../flags/push-flags.ts';
import { bulkFlags, undoFlags } from '../../flags/sending-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { runPush } from '../../templates/push/push-command.ts';

export const command = defineCommand({
  argument: {
    term: '[file...]',
    help: 'existing items by id or originId; - for stdin',
  },
  flags: { resend: bulkFlags.resend, ...undoFlags, ...pushCommandFlags },
  examples: [
    'reviewctl order-items push deliveries.csv',
    'reviewctl order-items push deliveries.csv --dry-run',
    'reviewctl order-items push cancelled.csv --set status=CANCEL',
  ],
  isMonitored: true,
  exitCodes: [3, 4, 5, 6, 7, 9],
  run: (invocation) => {
    const { flags, notices } = invocation;
    const { resend, undoDays } = flags;
    return runPush(invocation, {
      records: orderItemUpdateRecords,
      originIdOf: (entry) => placeOf(entry).originId,
      compiler: () => entryCompiler<OrderItemUpdateRecord>(),
      noun: 'order item',
      undoDays,
      push: ({ service: { api }, work, ...opened }) =>
        reportUncompared(runFlow(orderItemsFlow({ ...opened, api, resend }), work), notices),
    });
  },
});

/** Reports once that items were skipped without a comparison with the service. */
async function* reportUncompared(
  outcomes: AsyncIterable<readonly PushOutcome[]>,
  notices: Notices,
): AsyncGenerator<readonly PushOutcome[]> {
  let uncompared = 0;
  for await (const batch of outcomes) {
    uncompared += batch.filter(({ comparedWith }) => comparedWith === 'journal').length;
    yield batch;
  }
  if (uncompared === 0) return;
  notices.warning(
    `${counted(uncompared, 'order item')} skipped: already sent; not compared with the service ` +
      '(their orders are unknown)',
    'to compare: add a column order.id (the id of the order at the service); to send them anyway: --resend accepted',
  );
}
