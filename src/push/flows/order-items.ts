import { limitWork } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import type { Entry, OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { PushJournal } from '../../store/journal/push-journal.ts';
import type { UndoLog } from '../../store/runs/undo-log.ts';
import { refuseRenumbered } from '../compile/counted-orders.ts';
import { decideItem, type ItemEntry, type ItemRules } from '../decide/decide-item.ts';
import { observeItems, placeOf } from '../lookup/observe-items.ts';
import { sendItems } from '../send/send-items.ts';
import { createBreaker } from '../steps/breaker.ts';
import { type PushFlow, singleRequests } from '../steps/push-flow.ts';
import type { StepOptions } from '../steps/run-steps.ts';

export interface OrderItemsPush extends StepOptions, Pick<ItemRules, 'resend'> {
  readonly api: Api;
  readonly journal: Pick<PushJournal, 'known' | 'itemsOf' | 'begin' | 'end'>;
  readonly undoLog: UndoLog;
  /** Reads the input from its start once more; given where its originIds are made with `{n}`. */
  readonly rereadCounted?: (() => AsyncIterable<readonly Entry<OrderItemUpdateRecord>[]>) | undefined;
}

/**
 * Changes items the service has already (API 4.13). An item whose order is known is compared with what the service has
 * (API 4.12), and only what differs is sent; any other is sent whole, once: the journal records what was accepted, and
 * the outcome of one that is skipped says that it was compared with that alone. An update may be repeated, so the
 * transport does that when its answer is lost. Where an originId is made with `{n}`, its row must be of the product
 * that the item has.
 */
export function orderItemsFlow(push: OrderItemsPush): PushFlow<Entry<OrderItemUpdateRecord>, ItemEntry> {
  const { api, journal, concurrency, rereadCounted } = push;
  const breaker = createBreaker();
  // What is compared and what is sent share the requests that may be under way.
  const inTurn = limitWork(concurrency);
  return {
    ...singleRequests,
    originIdOf: (entry) => placeOf(entry).originId,
    settled: (outcome) => ({ outcome }),
    decide: async function* (batches) {
      const refusedOrders =
        rereadCounted && (await refuseRenumbered(() => recordsOf(rereadCounted()), journal));
      const rules = { ...push, assumptions: api.assumptions, refusedOrders };
      for await (const items of observeItems({ api, breaker, journal, inTurn }, batches))
        yield items.map((item) => decideItem(item, rules));
    },
    send: (steps) => sendItems({ ...push, breaker, inTurn }, steps),
  };
}

async function* recordsOf<T>(batches: AsyncIterable<readonly Entry<T>[]>): AsyncGenerator<T[]> {
  for await (const entries of batches) yield entries.map(({ record }) => record);
}
