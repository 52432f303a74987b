import { chunk } from '../../base/lists.ts';
import type { Answers } from './answers.ts';
import type { Answer, FoundRecord } from './last-entries.ts';
import type { KnownRecord, PushJournal } from './push-journal.ts';

/** Orders whose items are looked up in one round trip. */
const ordersAtOnce = 2000;

/** Looks up records by id, and items by order. */
export function createLookups(answers: Answers): Pick<PushJournal, 'known' | 'itemsOf'> {
  return {
    known: (kind, originIds) => answers.known(kind, originIds, knownRecord),
    itemsOf: async (orderOriginIds) => {
      const items = new Map<string, Items>();
      for (const part of chunk(orderOriginIds, ordersAtOnce)) {
        const orders = new Set(part);
        const originIds = await itemsIn(answers.ofOrders([...orders]), orders);
        const found = await answers.known('order-item', originIds, (record) => record);
        for (const [originId, { answer, position }] of found) {
          const order = answer.entries.orders[position];
          if (typeof order !== 'string' || !orders.has(order)) continue;
          if (answer.outcomes.states[position] === 'failed') continue;
          const product = answer.entries.products[position] ?? undefined;
          items.set(order, (items.get(order) ?? new Map()).set(originId, product));
        }
      }
      return items;
    },
  };
}

/** Items by originId, each with the product it was sent for. */
type Items = Map<string, string | undefined>;

/** The originIds of items sent for one of these orders; they may have been sent for another one since. */
async function itemsIn(
  answers: AsyncIterable<Answer>,
  orders: ReadonlySet<string>,
): Promise<readonly string[]> {
  const originIds = new Set<string>();
  for await (const { entries } of answers) {
    for (const [position, originId] of entries.originIds.entries()) {
      const order = entries.orders[position];
      const isItem = entries.kinds[position] === 'order-item';
      if (isItem && typeof order === 'string' && orders.has(order)) originIds.add(originId);
    }
  }
  return [...originIds];
}

function knownRecord({ answer: { entries, outcomes }, position }: FoundRecord): KnownRecord {
  const state = outcomes.states[position];
  const known: KnownRecord = {
    fate: state === 'unknown' ? 'unknown' : 'accepted',
    contentHash: entries.contentHashes[position] ?? '',
    jobId: outcomes.jobIds[position] ?? undefined,
    objectId: outcomes.objectIds[position] ?? undefined,
    productOriginId: entries.products[position] ?? undefined,
    orderOriginId: entries.orders[position] ?? undefined,
  };
  if (state === 'succeeded') return { ...known, jobState: 'succeeded' };
  return state === 'failed' ? { ...known, jobState: 'failed' } : known;
}
