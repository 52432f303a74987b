import { knownRecord } from '../../journal/packed/answer.ts';
import { addItems, type Items, ordersOf } from '../../journal/packed/answer-items.ts';
import type { KnownRecord, PushJournal } from '../../journal/push-journal.ts';
import { keepIndex } from './answer-indexes.ts';
import { type Answers, findRecords } from './answers.ts';
import type { Hashes } from './hashes.ts';
import type { JournalAccess } from './journal-access.ts';
import type { SeenHashes } from './seen-hashes.ts';

/** Ids that are looked up in one round trip. */
const idsAtOnce = 2000;

interface Lookups {
  readonly access: JournalAccess;
  readonly answers: Answers;
  readonly hashes: Hashes;
  readonly seen: SeenHashes;
}

/** Looks up records by their ids, many in one round trip, and none that cannot be there. */
export function createKnown({ access, answers, hashes, seen }: Lookups): PushJournal['known'] {
  return async (kind, originIds) => {
    const known = new Map<string, KnownRecord>();
    for (let first = 0; first < originIds.length; first += idsAtOnce) {
      const page = originIds.slice(first, first + idsAtOnce);
      const pageHashes = page.map((originId) => hashes.ofRecord(kind, originId));
      const asked = pageHashes.filter((hash) => seen.mayBeThere(kind, hash));
      await answers.expect(asked.length);
      const candidates = asked.length === 0 ? [] : await answers.find(access.read, asked);
      const found = findRecords(candidates, kind, page);
      for (const [index, originId] of page.entries()) {
        const record = found.get(originId);
        if (record === undefined) seen.addAbsent(pageHashes[index] ?? 0);
        else known.set(originId, knownRecord(record));
      }
    }
    return known;
  };
}

/** Looks up items by their orders. */
export function createItemsOf({ access, answers, hashes }: Omit<Lookups, 'seen'>): PushJournal['itemsOf'] {
  const indexed = keepIndex(access, 'order_hashes');
  return async (orderOriginIds) => {
    await indexed();
    const items = new Map<string, Items>();
    for (let first = 0; first < orderOriginIds.length; first += idsAtOnce) {
      const page = orderOriginIds.slice(first, first + idsAtOnce);
      const found = new Map<string, Items>(page.map((order) => [order, new Map()]));
      for (const answer of await answers.ofOrders(access.read, page.map(hashes.ofOrder))) {
        for (const order of new Set(ordersOf(answer))) {
          const ofOrder = found.get(order);
          if (ofOrder !== undefined) addItems(ofOrder, order, answer);
        }
      }
      for (const [order, ofOrder] of found) if (ofOrder.size > 0) items.set(order, ofOrder);
    }
    return items;
  };
}
