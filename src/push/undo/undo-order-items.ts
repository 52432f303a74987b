import { limitWork, mapConcurrently, regroup } from '../../base/lists.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { UndoRecord } from '../../store/runs/undo-log.ts';
import type { OrderItemsPush } from '../flows/order-items.ts';
import { sendItems } from '../send/send-items.ts';
import { createBreaker } from '../steps/breaker.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import { type PushFlow, singleRequests } from '../steps/push-flow.ts';
import { recordAccepted } from '../steps/record-accepted.ts';
import { cannotUndo, placeOf } from './undo-fields.ts';
import { type UndoItemEntry, undoOrderItem } from './undo-order-item.ts';

/** Items that are looked at together, and groups of them that may be ahead of what is done with them. */
const groupSize = 100;
const groupsAhead = 2;

/**
 * Writes back what a run of order items replaced (API 4.13), where the service still has what the run sent (API 4.12).
 * The journal forgets what an item was sent before that is taken back, so that a later push of the same sends it again
 * whatever ends this process.
 */
export function undoOrderItemsFlow(
  push: Omit<OrderItemsPush, 'resend' | 'rereadCounted'>,
): PushFlow<UndoRecord, UndoItemEntry> {
  const { api, journal, concurrency } = push;
  const breaker = createBreaker();
  // What is looked at and what is sent share the requests that may be under way.
  const inTurn = limitWork(concurrency);

  async function decideOn(record: UndoRecord): Promise<UndoItemEntry> {
    if (record.kind !== 'updated') return { outcome: cannotUndo(record, unseen) };
    const { id: orderItemId, orderId = '' } = record;
    try {
      const params = { orderId, orderItemId };
      const { value: shown } = await inTurn(() => api.call('getOrderItem', { params }));
      breaker.succeeded();
      return undoOrderItem(record, shown, api.assumptions);
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === 'not-found')
        return { outcome: cannotUndo(record, gone) };
      const outcome = outcomeOfFailure(placeOf(record), error, breaker);
      breaker.check();
      return { outcome };
    }
  }

  async function* forgetContents(batches: AsyncIterable<readonly UndoItemEntry[]>) {
    for await (const steps of batches) {
      const forgotten = steps.flatMap(({ forgotten: entry }) => (entry === undefined ? [] : [{ entry }]));
      if (forgotten.length > 0) await recordAccepted(journal, 'order-item-update', ...forgotten);
      yield steps;
    }
  }

  return {
    ...singleRequests,
    originIdOf: ({ originId }) => originId,
    settled: (outcome) => ({ outcome }),
    decide: (batches) =>
      mapConcurrently(regroup(batches, groupSize), { width: groupsAhead }, (records) =>
        Promise.all(records.map(decideOn)),
      ),
    send: (steps) => sendItems({ ...push, breaker, inTurn }, forgetContents(steps)),
  };
}

const unseen =
  'what it was before the run is not known, because the push did not know its order; a column order.id names it';
const gone = 'the service does not have it any more';
