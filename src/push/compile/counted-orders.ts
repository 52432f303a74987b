import { IdNumbers } from '../../base/id-set.ts';
import type { PushJournal } from '../../store/journal/push-journal.ts';

/** An item whose originId is made with `{n}`, its number within its order. */
interface CountedItem {
  readonly originId?: string;
  readonly orderOriginId?: string;
  readonly productOriginId?: string;
}

/** The reasons why orders cannot be pushed, by originId. */
export type RefusedOrders = ReadonlyMap<string, string>;

type Items = ReadonlyMap<string, string | undefined>;
type ReadItems = () => AsyncIterable<readonly CountedItem[]>;

/** The maximum number of items of an order that a reason names. */
const itemsNamed = 8;

/**
 * Finds orders that lack an item they were sent with, or have another product under its id: their rows were renumbered,
 * so content of one item would be sent to another. Additional items are allowed. Reads the input as often as needed.
 */
export async function refuseRenumbered(
  read: ReadItems,
  journal: Pick<PushJournal, 'itemsOf'>,
): Promise<RefusedOrders> {
  const missing = new IdNumbers();
  let missingCount = 0;
  for await (const entries of read()) {
    const sent = await journal.itemsOf(ordersOf(entries));
    for (const record of entries) {
      const { orderOriginId = '' } = record;
      const items = sent.get(orderOriginId);
      if (items === undefined) continue;
      const found = Number(isAmong(items, record));
      const before = missing.put(orderOriginId, (left = items.size) => left - found);
      missingCount += before === undefined ? items.size - found : -found;
    }
  }
  return missingCount === 0 ? new Map() : reasonsOf(read, journal, missing);
}

async function reasonsOf(
  read: ReadItems,
  journal: Pick<PushJournal, 'itemsOf'>,
  missing: IdNumbers,
): Promise<RefusedOrders> {
  const rows = new Map<string, CountedItem[]>();
  for await (const entries of read()) {
    for (const record of entries) {
      const { orderOriginId = '' } = record;
      if ((missing.get(orderOriginId) ?? 0) === 0) continue;
      const ofOrder = rows.get(orderOriginId) ?? [];
      if (ofOrder.length <= itemsNamed) rows.set(orderOriginId, [...ofOrder, record]);
    }
  }
  const reasons = new Map<string, string>();
  for (const [order, items] of rows) {
    const sent = (await journal.itemsOf([order])).get(order) ?? new Map();
    reasons.set(order, renumbered(order, sent, items));
  }
  return reasons;
}

function ordersOf(entries: readonly CountedItem[]): string[] {
  return [...new Set(entries.map(({ orderOriginId }) => orderOriginId ?? ''))];
}

/** True if the item is among those sent, with the same product. */
function isAmong(items: Items, { originId = '', productOriginId }: CountedItem): boolean {
  return items.has(originId) && items.get(originId) === productOriginId;
}

function renumbered(order: string, sent: Items, rows: readonly CountedItem[]): string {
  const before = [...sent].toSorted(([one], [other]) => byNumber.compare(one, other));
  const now = rows.map(({ originId = '', productOriginId }) => [originId, productOriginId] as const);
  return (
    `the items of order ${order} were sent as ${named(before)}, and the file has ${named(now)}; ` +
    'ids made with {n} must stay with their items: export the whole order again with its lines in ' +
    'the same order, or map a column with the id of each line'
  );
}

const byNumber = new Intl.Collator('en', { numeric: true });

function named(items: readonly (readonly [string, string | undefined])[]): string {
  const words = items
    .slice(0, itemsNamed)
    .map(([originId, product]) => `${originId} (${product ?? 'no product'})`);
  return [...words, ...(items.length > itemsNamed ? ['…'] : [])].join(', ');
}
