import { knownRecord } from '../../journal/packed/answer.ts';
import { addItems, type Items, ordersOf } from '../../journal/packed/answer-items.ts';
import type { KnownRecord, PushJournal } from '../../journal/push-journal.ts';
import { type Answers, findRecords } from './answers.ts';
import type { AbsentHashes, Hashes } from './hashes.ts';
import type { JournalAccess } from './journal-access.ts';

/** Ids that are looked up in one round trip. */
const idsAtOnce = 2000;

interface Lookups {
  readonly access: Pick<JournalAccess, 'read'>;
  readonly answers: Answers;
  readonly hashes: Hashes;
  readonly absent: AbsentHashes;
}

/** Looks up records by their ids, many in one round trip. */
export function createKnown({ access, answers, hashes, absent }: Lookups): PushJournal['known'] {
  return async (kind, originIds) => {
    const known = new Map<string, KnownRecord>();
    for (let first = 0; first < originIds.length; first += idsAtOnce) {
      const asked = new Map(
        originIds.slice(first, first + idsAtOnce).map((id) => [id, hashes.ofRecord(kind, id)]),
      );
      const found = findRecords(await answers.find(access.read, asked.values()), kind, new Set(asked.keys()));
      for (const [originId, hash] of asked) {
        const record = found.get(originId);
        if (record === undefined) absent.add(hash);
        else known.set(originId, knownRecord(record));
      }
    }
    return known;
  };
}

/** Looks up items by their orders. */
export function createItemsOf({ access, answers, hashes }: Omit<Lookups, 'absent'>): PushJournal['itemsOf'] {
  return async (orderOriginIds) => {
    const items = new Map<string, Items>();
    for (let first = 0; first < orderOriginIds.length; first += idsAtOnce) {
      const asked = orderOriginIds.slice(first, first + idsAtOnce);
      const found = new Map<string, Items>(asked.map((order) => [order, new Map()]));
      for (const answer of await answers.find(access.read, asked.map(hashes.ofItems))) {
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
