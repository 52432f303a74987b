import type { Api } from '../client/caller.ts';
import type { OrderItemRecord } from '../input/record-kinds.ts';
import { createBreaker } from './breaker.ts';
import { type BulkPush, decideAll, planUnits, takeStep } from './journaled.ts';
import { orderItemEntry, orderItemEntryFields, orderItemUnit } from './order-item-entry.ts';
import type { Outcome } from './outcome.ts';
import { runSteps } from './run-steps.ts';
import type { SendContext } from './send-journaled.ts';
import { planWholeOrders, wholeOrderFields, wholeOrderRowContent } from './whole-orders.ts';

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
  yield* runSteps(steps, push, (step, report) => takeStep({ ...push, ...context }, step, report));
}

/** The fields that a push of orders leaves out, because the operations it has do not document them. */
export interface UnsentFields {
  /** Would go out if the service had an operation that creates whole orders (assumption `createOrders`). */
  readonly ofOrders: readonly string[];
  /** Go out with no operation. */
  readonly ofItems: readonly string[];
}

/** Which of `fields`, the paths of an input, `pushOrders` does not send to this service. */
export function unsentFields(fields: readonly string[], api: Pick<Api, 'supports'>): UnsentFields {
  const sent = api.supports('createOrders') ? wholeOrderFields : orderItemEntryFields;
  const unsent = fields.filter((field) => !sent.includes(field));
  return {
    ofOrders: unsent.filter((field) => wholeOrderFields.includes(field)),
    ofItems: unsent.filter((field) => !wholeOrderFields.includes(field)),
  };
}
