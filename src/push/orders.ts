import type { OrderItemRecord } from '../input/record-kinds.ts';
import { createBreaker } from './breaker.ts';
import { type BulkPush, decideAll, planUnits, takeStep } from './journaled.ts';
import { orderItemEntry, orderItemUnit } from './order-item-entry.ts';
import type { Outcome } from './outcome.ts';
import { runSteps } from './run-steps.ts';
import type { SendContext } from './send-journaled.ts';
import { planWholeOrders, wholeOrderRowContent } from './whole-orders.ts';

/**
 * Pushes order items: in bulk (API 4.14), or as whole orders where the service has an operation for that (assumption
 * `createOrders`). Every item goes out at most once over all runs with one journal.
 * @throws ServiceFailure for what no single record is to blame for, after the outcomes of all that was under way.
 */
export async function* pushOrders(push: BulkPush<OrderItemRecord>): AsyncGenerator<readonly Outcome[]> {
  const { api, journal, resend, batchSize } = push;
  const context: SendContext = { api, journal, kind: 'order-item', breaker: createBreaker() };
  const isWhole = api.supports('createOrders');
  const decided = decideAll(push.batches, isWhole ? wholeOrderRowContent : orderItemEntry, {
    ...context,
    resend,
  });
  const steps = isWhole
    ? planWholeOrders(decided, batchSize)
    : planUnits(decided, 'bulkCreateOrderItems', batchSize, orderItemUnit);
  yield* runSteps(steps, push, (step, report) => takeStep(context, step, report));
}
