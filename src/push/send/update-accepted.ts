import type { OrderItemBody } from '../compile/order-item-entry.ts';
import type { SendableRecord } from '../compile/sendable-record.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import { recordAccepted } from '../steps/record-accepted.ts';
import { contradicted, contradictoryReply } from './contradictory-reply.ts';
import type { SendContext } from './send-journaled.ts';

/** A record whose item was made before with other content, and what changes the item into it. */
export interface OrderItemUpdate {
  readonly record: SendableRecord;
  /** The id of the item at the service. */
  readonly objectId: string;
  readonly body: OrderItemBody;
}

/**
 * Changes an order item that was made in an earlier run (API 4.13). The update may be repeated, so nothing is journaled
 * before it; after it the journal knows the new content.
 * @throws ServiceFailure for what is not to blame on this record.
 */
export async function updateAccepted(context: SendContext, update: OrderItemUpdate): Promise<PushOutcome> {
  const { breaker, firstAlone } = context;
  try {
    return await firstAlone(() => {
      breaker.check();
      return updateItem(context, update);
    });
  } catch (error) {
    return outcomeOfFailure(update.record, error, breaker);
  }
}

async function updateItem(
  { api, journal, kind, breaker }: SendContext,
  { record, objectId, body }: OrderItemUpdate,
): Promise<PushOutcome> {
  const params = { orderItemId: objectId };
  const { sent } = await api.call('updateOrderItem', { params, body });
  breaker.succeeded();
  const done = outcomeOf(record, 'updated', { id: objectId });
  const failure = contradictoryReply({ operation: 'updateOrderItem', params, body }, sent, api);
  if (failure !== undefined) return contradicted(done, failure, breaker);
  await recordAccepted(journal, kind, { entry: record, objectId }).catch(breaker.stop);
  return done;
}
